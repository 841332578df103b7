import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createConfigFolder, type ConfigFolder } from './support.js';

let folder: ConfigFolder;

beforeAll(async () => {
  folder = await createConfigFolder();
});

afterAll(() => folder.remove());

const bomb = (): string => {
  const levels = Array.from(
    { length: 12 },
    (_, at) => `a${at + 1}: &a${at + 1} [${Array(9).fill(`*a${at}`).join()}]`,
  );
  return `a0: &a0 [x]\n${levels.join('\n')}\n`;
};

describe('hostile files are refused', () => {
  it.each([
    ['references that multiply', bomb(), 'is a reference (*); write the value out'],
    ['a list that holds itself', 'a: &a [*a]', 'config.yaml:1:8  is a reference (*); write the value out'],
    ['flow nesting', `a: ${'['.repeat(100_000)}`, 'is nested deeper than 32 levels'],
    ['closed nesting', `a: ${'['.repeat(200)}${']'.repeat(200)}`, 'is nested deeper than 32 levels'],
    [
      'block nesting',
      Array.from({ length: 1200 }, (_, at) => `${' '.repeat(at)}a:`).join('\n'),
      'is nested deeper than 32 levels',
    ],
    ['more than a megabyte', `# ${'x'.repeat(1024 * 1024)}`, 'config.yaml  is larger than 1048576 bytes'],
    ['a binary file', '\0\x01\x02', 'config.yaml:1:'],
  ])('%s', async (_what, text, expected) => {
    const errors = await folder.errors(text);

    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain(expected);
  });

  it('answers 20,000 unknown names in seconds', async () => {
    const names = Array.from({ length: 20_000 }, (_, at) => `n${at}: 1`).join('\n');

    const started = performance.now();
    const errors = await folder.errors(names);

    expect(errors.length).toBeGreaterThan(0);
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});
