import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { parseAst } from 'rolldown/parseAst';
import { analyse } from 'scslre';
import { expect, it } from 'vitest';

/** Expressions that are found, and cannot go back: their end always matches. */
const HARMLESS = [
  String.raw`^([\0-\x20]*[a-z][a-z0-9+.\t\r\n-]*:[/\\\t\r\n]*)?([^/\\?#\t\r\n][^/\\?#]*@|@)?([^?#]*)(\?[^#]*)?(#.*)?$`,
];

interface Expression {
  source: string;
  flags: string;
}

/** Whether this text makes matching take time by the square of its length, or worse. */
const isCostly = (expression: Expression): boolean => analyse(expression).reports.length > 0;

function expressionsIn(node: unknown): Expression[] {
  if (typeof node !== 'object' || node === null) return [];
  const { regex } = node as { regex?: { pattern: string; flags: string } };
  if (regex !== undefined) return [{ source: regex.pattern, flags: regex.flags }];
  return Object.values(node).flatMap(expressionsIn);
}

it.each([String.raw`=+$`, String.raw`^\s*-?(\d+\.?\d*|\.\d+)\s*$`, '#.*$'])('finds %s', (source) => {
  expect(isCostly({ source, flags: '' })).toBe(true);
});

it('take time in proportion to what others send', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const found = files.flatMap((name) =>
    expressionsIn(parseAst(readFileSync(join('src', name), 'utf8'), { lang: 'ts' })).map((each) => ({
      name,
      ...each,
    })),
  );
  const costly = found.filter((each) => isCostly(each));

  expect(found.length).toBeGreaterThan(300);
  expect(costly.filter(({ source }) => !HARMLESS.includes(source))).toEqual([]);
  expect(HARMLESS.filter((each) => !costly.some(({ source }) => source === each))).toEqual([]);
});
