import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import type { Vocabulary } from '../../../../../src/core/preview/extract/vocabulary/vocabulary.js';

const FOLDER = new URL('../../../../../src/core/preview/extract/vocabulary/', import.meta.url);

/** Every vocabulary of every module of the folder, by its name. */
async function vocabularies(): Promise<[string, Vocabulary][]> {
  const files = readdirSync(FOLDER).filter((file) => file !== 'vocabulary.ts');
  const modules = await Promise.all(
    files.map((file) => import(new URL(file, FOLDER).href) as Promise<Record<string, Vocabulary>>),
  );
  return modules.flatMap((module) => Object.entries(module));
}

describe.each(await vocabularies())('%s', (_name, { words, has, over }) => {
  it('recognises the case of each word, and not without the word', () => {
    const list = Object.keys(words);
    expect(list.length).toBeGreaterThan(0);
    const missed = Object.entries(words).filter(([, text]) => !has(text));
    expect(missed).toEqual([]);
    const needless = list.filter((word) => over(list.filter((other) => other !== word))(words[word]!));
    expect(needless).toEqual([]);
  });
});
