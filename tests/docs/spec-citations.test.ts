import { describe, expect, it } from 'vitest';

import { readText, sourcesBelow } from './repository-files.js';

const DOCUMENT = /(?:SPEC|RFC \d+|HTML|DOM Standard|Encoding Standard|XML 1\.0|oEmbed)/.source;
const NUMBERS = /§\d+(?:\.\d+)*(?:(?:, | and | or | to )§\d+(?:\.\d+)*)*/.source;
/** `SPEC §4.4.3`, `RFC 4648 §4 or §5`: every number follows the name of its document. */
const CITATION = new RegExp(`(${DOCUMENT}) (${NUMBERS})`, 'g');

const files = [
  ...sourcesBelow('src', 'tests', 'web-admin', 'bench', 'scripts'),
  'prisma/schema.prisma',
  'config.sample.yaml',
].filter((file) => !file.startsWith('tests/docs/'));

/** Sections are headings, rules are numbered paragraphs: `- **4.4.3** …`. */
function sections(): string[] {
  const lines = [...readText('docs/SPEC.md').matchAll(/^(?:#+ |- \*\*)(\d+(?:\.\d+)*)\b/gm)];
  return lines.map(([, number]) => number ?? '');
}

describe('docs/SPEC.md', () => {
  it('has each number once, and each within the one it begins with', () => {
    const numbers = sections();
    expect(numbers.length).toBeGreaterThan(90);
    expect(numbers.filter((number, at) => numbers.indexOf(number) !== at)).toEqual([]);
    const parents = numbers.filter((number) => number.includes('.')).map((number) => number.replace(/\.\d+$/, ''));
    expect(parents.filter((parent) => !numbers.includes(parent))).toEqual([]);
  });

  it('counts without a gap', () => {
    const numbers = sections();
    const gaps = numbers.filter((number) => {
      const [, before = '', last = ''] = /^(.*?)(\d+)$/.exec(number) ?? [];
      return last !== '1' && !numbers.includes(`${before}${Number(last) - 1}`);
    });
    expect(gaps).toEqual([]);
  });

  it('holds every section that it refers to itself', () => {
    const own = [...readText('docs/SPEC.md').matchAll(/§(\d+(?:\.\d+)*)/g)].map(([, number]) => number);
    expect(own.length).toBeGreaterThan(20);
    expect(own.filter((number) => !sections().includes(number ?? ''))).toEqual([]);
  });
});

describe('citations', () => {
  it('name the document before the section sign', () => {
    const bare = files.flatMap((file) =>
      readText(file)
        .replaceAll(CITATION, '')
        .split('\n')
        .filter((line) => line.includes('§'))
        .map((line) => `${file}: ${line.trim()}`),
    );
    expect(bare).toEqual([]);
  });

  it('of SPEC lead to a section that exists', () => {
    const known = sections();
    const cited = files.flatMap((file) =>
      [...readText(file).matchAll(CITATION)]
        .filter(([, document]) => document === 'SPEC')
        .flatMap(([, , numbers = '']) => numbers.match(/[\d.]+\d|\d/g) ?? [])
        .map((number) => ({ file, number })),
    );
    expect(cited.length).toBeGreaterThan(100);
    expect(cited.filter(({ number }) => !known.includes(number))).toEqual([]);
  });
});
