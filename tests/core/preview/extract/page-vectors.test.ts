import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { extractPage, type PageExtract } from '../../../../src/core/preview/extract/extract-page.js';

/** One case; members that are missing are not looked at. */
interface Vector {
  id?: string;
  rule: string;
  html: string;
  /** Where it is, when not at `/dir/page` of site.example. */
  url?: string;
  /** Some of the properties. */
  og?: Record<string, string | number | null>;
  /** All keys, in any order. */
  keys?: string[];
  images?: string[];
  oembed?: string[];
  /** The page gives nothing at all. */
  none?: true;
}

function vectors(name: string): (Vector & { name: string })[] {
  const file = new URL(`../../../vectors/html/${name}.json`, import.meta.url);
  const cases = JSON.parse(readFileSync(file, 'utf8')) as Vector[];
  return cases.map((vector) => ({ ...vector, name: `${vector.id ?? ''} ${vector.rule}`.trim() }));
}

/** What was found of what the vector names. */
function seen(page: PageExtract | null, vector: Vector): Omit<Vector, 'rule' | 'html' | 'url' | 'name'> {
  if (page === null) return { none: true };
  const { openGraph, images, oembedUrls } = page;
  const og = Object.keys(vector.og ?? {}).map((key) => [key, openGraph.get(key)] as const);
  return {
    ...(vector.og && { og: Object.fromEntries(og) as Record<string, string> }),
    ...(vector.keys && { keys: [...openGraph.keys()].sort() }),
    ...(vector.images && { images: [...images] }),
    ...(vector.oembed && { oembed: [...oembedUrls] }),
  };
}

describe.each(['standard', 'enhanced'] as const)('extractPage, %s', (mode) => {
  it.each(vectors(mode))('$name', async (vector) => {
    const page = await extractPage(
      {
        body: Buffer.from(vector.html),
        contentType: 'text/html; charset=utf-8',
        url: vector.url ?? 'https://site.example/dir/page',
      },
      { mode },
    );

    const { og, keys, images, oembed, none } = vector;
    const expected = { og, keys: keys?.toSorted(), images, oembed, none };
    expect(seen(page, vector)).toEqual(expected);
    expect(page?.openGraph.has('og:image') ?? false).toBe(false);
  });
});
