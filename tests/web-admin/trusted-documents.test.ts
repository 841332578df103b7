import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

import { buildSchema, Kind, parse, validate } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';

const GENERATED = new URL('../../web-admin/src/gql/', import.meta.url);

function readJson(name: string): Record<string, string> {
  return JSON.parse(readFileSync(new URL(name, GENERATED), 'utf8')) as Record<string, string>;
}

describe("the web UI's operations", () => {
  let documents: [id: string, text: string][];
  beforeAll(() => {
    execFileSync(process.execPath, ['scripts/generate-ui.mjs']);
    documents = Object.entries(readJson('trusted-documents.json'));
  });

  it('are named by the SHA-256 of their text', () => {
    expect(documents.length).toBeGreaterThan(5);
    for (const [id, text] of documents) expect(createHash('sha256').update(text).digest('hex')).toBe(id);
  });

  it('fit the committed schema, one operation each, with every fragment they use', () => {
    const schema = buildSchema(readFileSync('web-admin/schema.graphql', 'utf8'));
    for (const [, text] of documents) {
      const document = parse(text, { maxTokens: 1000 });
      expect(document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION)).toHaveLength(1);
      expect(validate(schema, document)).toEqual([]);
    }
  });

  it('are found by name in the bundle', () => {
    expect(new Set(Object.values(readJson('ids.json')))).toEqual(new Set(documents.map(([id]) => id)));
  });
});
