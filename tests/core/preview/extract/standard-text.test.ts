import { describe, expect, it } from 'vitest';
import { extractPage } from '../../../../src/core/preview/extract/extract-page.js';
import { summarizeText } from '../../../../src/core/preview/extract/values.js';

async function standardOf(html: string) {
  const input = { body: Buffer.from(html), contentType: null, url: 'https://site.example/' };
  const page = await extractPage(input, { mode: 'standard' });
  return Object.fromEntries(page?.openGraph ?? []);
}

const tags = (count: number): string =>
  Array.from({ length: count }, (_, n) => `<meta property=og:k${n} content=${n}>`).join('');

describe('extractPage, standard, sizes', () => {
  it('finds text under 3,000 elements', async () => {
    const og = await standardOf(`<body>${'<div>'.repeat(3_000)}text`);

    expect(og['og:description']).toBe('text');
  });

  it('keeps 50 distinct tags and drops all when there is one more', async () => {
    expect(Object.keys(await standardOf(tags(50)))).toHaveLength(52);
    expect(Object.keys(await standardOf(tags(51)))).toEqual(['og:title', 'og:description']);
  });
});

describe('summarizeText', () => {
  it('joins paragraphs by blank lines until 200 are reached', () => {
    const part = 'x'.repeat(98);

    expect(summarizeText([part, part, 'not reached'])).toBe(`${part}\n\n${part}`);
  });

  it('leaves exactly 500 untouched', () => {
    expect(summarizeText(['x'.repeat(500)])).toBe('x'.repeat(500));
  });

  it('cuts prose at a word below 500', () => {
    const summary = summarizeText(['word '.repeat(200)]);

    expect(summary).toBe(`${'word '.repeat(99)}word…`);
  });

  it('gives null for blanks', () => {
    expect(summarizeText([' ', '\n\t'])).toBeNull();
  });
});
