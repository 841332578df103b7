import { describe, expect, it } from 'vitest';
import { pruneOpenGraph } from '../../../../src/core/preview/extract/values.js';
import { extractPage } from '../../../../src/core/preview/extract/extract-page.js';

async function pageOf(html: string) {
  const input = { body: Buffer.from(html), contentType: null, url: 'https://site.example/' };
  return extractPage(input, { mode: 'enhanced' });
}

describe('extractPage, enhanced, sizes', () => {
  it.each([
    ['og:title', 'property=og:title'],
    ['og:description', 'name=description'],
  ])('keeps %s of 1,000 code points as it is, and none that is longer (SPEC §4.7.12)', async (key, meta) => {
    const text = `${'words 😀 '.repeat(124)}wordword`;

    const [whole, over] = await Promise.all(
      [text, `${text}!`].map((content) =>
        pageOf(`<meta property=og:type content=article><meta ${meta} content="${content}">`),
      ),
    );

    expect(whole?.openGraph.get(key)).toBe(text);
    expect(pruneOpenGraph(over?.openGraph ?? new Map()).kept.get(key) ?? null).toBeNull();
  });

  it('says which tag gave which value', async () => {
    const page = await pageOf(
      '<title>t</title><meta name=twitter:description content=d><meta property=og:image content=/i.png>',
    );

    expect(Object.fromEntries(page?.origins ?? [])).toMatchObject({
      'og:title': 'heading:title',
      'og:description': 'meta:twitter:description',
      'og:image': 'meta:og:image',
    });
  });

  it.each([['a word for nothing', 'name=description', 'null']])(
    'reads on for a description where the tagged one is %s',
    async (_, meta, content) => {
      const tags = `<meta property=og:title content=T><meta property=og:image content=/i><meta ${meta} content="${content}">`;
      const script = `<script>${'x'.repeat(40_000)}</script>`;
      const text = 'Words of the page that say what it is about.';

      const page = await pageOf(`<head>${tags}${script}<body>${script}<p>${text}</p>`);

      expect(page?.openGraph.get('og:description')).toBe(text);
    },
  );
});
