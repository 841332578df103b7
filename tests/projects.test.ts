import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

import { sortTests } from './projects.js';

const MEASURE =
  /performance\.(?:now|eventLoopUtilization)\(|(?:longestTurn|undisturbed)Ms\(|\{ longestMs \}|(?:cpu|memory)Usage\(/;
const IMPORT = /from '(\.[^']+)\.js'/g;
const { unit, integration, timing, usage } = sortTests();
const measuring = [...timing, ...usage];
const all = [...unit, ...integration, ...measuring];
const namesOf = (files: readonly string[]): string[] => files.map((file) => path.basename(file));

/** Reads the process's own clock, processor time or memory and holds expectations, itself or in a helper it imports. */
function measures(file: string): boolean {
  const text = readFileSync(file, 'utf8');
  if (MEASURE.test(text) && text.includes('expect(')) return true;
  return [...text.matchAll(IMPORT)]
    .map(([, name = '']) => `${path.join(path.dirname(file), name)}.ts`)
    .some((helper) => helper.startsWith('tests/') && measures(helper));
}

describe('test files', () => {
  it('each belong to one project', () => {
    const there = readdirSync('tests', { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => path.join('tests', file));
    expect(all.toSorted()).toEqual(there.toSorted());
    for (const files of [unit, integration, timing]) expect(files.length).toBeGreaterThan(20);
  });

  it('that measure time or memory are named *.timing.test.ts, and only they', () => {
    const found = all.filter((file) => file !== 'tests/projects.test.ts' && measures(file));
    expect(found.toSorted()).toEqual(measuring.toSorted());
  });

  it('of units reach nothing outside the process', () => {
    expect(namesOf(unit)).toContain('url-rules.test.ts');
    for (const name of ['freshness.test.ts', 'usage.test.ts', 'crowd.test.ts', 'shell.test.ts']) {
      expect(namesOf(integration)).toContain(name);
    }
  });

  it('that read memory or processor time of their own process, themselves or in a helper, are apart from the others', () => {
    expect(namesOf(usage)).toContain('thumbnailer.timing.test.ts');
    expect(namesOf(usage)).toContain('hostile-oembed.timing.test.ts');
    expect(namesOf(timing)).toContain('large-answers.timing.test.ts');
  });
});
