import { readFile } from 'node:fs/promises';

import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import { proxyLines } from '../../src/config/output/proxy/proxy-lines.js';
import { parseConfig } from '../../src/config/parse-config.js';
import { PROXY_SERVERS } from '../../src/core/base/proxy-server.js';

const read = (name: string) => readFile(new URL(`../../${name}`, import.meta.url), 'utf8');
/** Text of the code blocks in a language. */
const blocks = (text: string, language: string) =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'gm'))].map(([, block = '']) => block);

function configOf(yaml: string) {
  const parsed = parseConfig(parse(yaml));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.config;
}

describe('docs/PROXY.md', () => {
  let text: string;
  beforeAll(async () => {
    text = await read('docs/PROXY.md');
  });

  it.each(PROXY_SERVERS)('has the lines for %s that the command prints for its configurations', (server) => {
    const configurations = blocks(text, 'yaml').map((yaml) => configOf(yaml));
    expect(configurations).toHaveLength(2);
    expect(blocks(text, server)).toEqual(configurations.map((config) => proxyLines(config, server)));
  });

  it('begins with the configuration of the README', async () => {
    const [yaml = ''] = blocks(await read('README.md'), 'yaml');
    expect(configOf(yaml)).toEqual(configOf(blocks(text, 'yaml')[0] ?? ''));
  });
});
