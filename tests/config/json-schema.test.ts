import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

import { configJsonSchema } from '../../src/config/output/json-schema.js';
import { parseConfig } from '../../src/config/parse-config.js';
import { listSettings } from '../../src/config/setting-tree.js';
import { readText } from '../docs/repository-files.js';

const schema = z.fromJSONSchema(configJsonSchema());

/** Every setting with a default uncommented, as a reader of the sample would. */
function uncommented(): string {
  const blocks = readText('config.sample.yaml').split('\n\n');
  return blocks
    .map((block) => block.replaceAll(/^( *)#(?! |$)/gm, '$1'))
    .map((block) =>
      /; (?:unset by )?default/.test(block) ? block.replaceAll(/^( *)# {2}/gm, '$1  ') : block,
    )
    .join('\n\n');
}

describe('the JSON Schema of the configuration', () => {
  it('is the committed config.schema.json; after a change: npm run generate', () => {
    expect(readText('config.schema.json')).toBe(`${JSON.stringify(configJsonSchema(), null, 2)}\n`);
  });

  it.each([
    ['the sample', readText('config.sample.yaml')],
    ['the sample with every setting in force', uncommented()],
    ['the configuration of README', /```yaml\n([^]*?)```/.exec(readText('README.md'))?.[1] ?? ''],
    ['that for a whole machine', readText('deploy/config.yaml')],
    ['that in a container', readText('deploy/container/config.yaml')],
    ['that beside a homeserver in containers', readText('deploy/container/homeserver.yaml')],
  ])('takes %s', (_what, text) => {
    expect(text.length).toBeGreaterThan(100);
    expect(schema.safeParse(parse(text)).error).toBeUndefined();
  });

  it.each([
    ['an unknown setting', 'sever_name: a.org'],
    ['text for a number', 'server: { max_connections: many }'],
    ['a duration without a known unit', 'server: { drain_timeout: 10 seconds }'],
    ['a resource that there is not', 'listeners: [{ port: 1, resources: [key] }]'],
  ])('refuses %s, as the program does', (_what, text) => {
    const value: unknown = parse(text);

    expect(schema.safeParse(value).success).toBe(false);
    expect(
      parseConfig(Array.isArray(value) ? value : { server_name: 'a.org', ...(value as object) }).ok,
    ).toBe(false);
  });

  it('says of every setting what it means and in which form', () => {
    const schema = configJsonSchema();
    const described = listSettings().map(({ name, about }) => {
      let at: unknown = schema;
      for (const part of name.split('.'))
        at = (at as { properties: Record<string, unknown> }).properties[part];
      const { description = '' } = at as { description?: string };
      return { name, isSaid: description.startsWith(`${about.doc}.\n${about.kind.form}`) };
    });

    expect(described.filter(({ isSaid }) => !isSaid)).toEqual([]);
  });
});
