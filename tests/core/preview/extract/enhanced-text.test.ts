import { describe, expect, it } from 'vitest';
import { pruneOpenGraph } from '../../../../src/core/preview/extract/open-graph.js';
import { extractPage } from '../../../../src/core/preview/extract/extract-page.js';

async function pageOf(html: string) {
  const input = { body: Buffer.from(html), contentType: null, url: 'https://site.example/' };
  return extractPage(input, { mode: 'enhanced' });
}

describe('extractPage, enhanced, sizes', () => {
  it.each([
    ['og:title', 'property=og:title'],
    ['og:description', 'name=description'],
    ['og:site_name', 'property=og:site_name'],
    ['article:author', 'name=author'],
    ['og:determiner', 'property=og:determiner'],
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

  it('puts the next shorter one in the place of a value that is too long', async () => {
    const long = 'word '.repeat(201);
    const metas = ['property=og:title', 'name=description', 'property=og:type', 'property=og:site_name'];

    const page = await pageOf(
      `${metas.map((meta) => `<meta ${meta} content="${long}">`).join('')}<title>Title</title>
       <meta property=og:type content=article><meta name=application-name content=Site><p>Text of the page.</p>`,
    );

    expect(Object.fromEntries(page?.openGraph ?? [])).toEqual({
      'og:title': 'Title',
      'og:description': 'Text of the page.',
      'og:type': 'article',
      'og:site_name': 'Site',
    });
  });

  it.each([
    ['the heading', '<h1>Headline here</h1><p>First paragraph.</p>'],
    ['the page title', '<title>Headline here</title><h1>Headline  here</h1><p>First paragraph.</p>'],
    [
      'a page title with the site',
      '<title>Headline here - Site</title><h1>Headline here</h1>First paragraph.',
    ],
    ['a tag', '<meta property=og:title content="Headline here"><h2>Headline here</h2>First paragraph.'],
  ])('describes a page without repeating its title out of %s', async (_where, html) => {
    const page = await pageOf(html);

    expect(page?.openGraph.get('og:title')).toMatch(/^Headline here/);
    expect(page?.openGraph.get('og:description')).toBe('First paragraph.');
  });

  it('does not repeat the only line of a page', async () => {
    const page = await pageOf('<body>Some text.</body>');

    expect(page?.openGraph.get('og:title')).toBe('Some text.');
    expect(page?.openGraph.get('og:description')).toBeNull();
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

  it('finds JSON-LD at the end of a long body of a page with tags', async () => {
    const head =
      '<meta property=og:title content=t><meta name=description content=d><meta property=og:image content=/i>';
    const linked =
      '<script type="application/ld+json">{"@type":"Article","headline":"H","datePublished":"2024-02-03"}</script>';

    const page = await pageOf(`${head}<body>${'<p>text</p>'.repeat(20_000)}${linked}`);

    expect(page?.openGraph.get('article:published_time')).toBe('2024-02-03');
  });

  it.each([
    ['too long', 'property=og:description', 'Long words. '.repeat(100)],
    ['blank', 'property=og:description', ' '],
    ['a word for nothing', 'name=description', 'null'],
  ])('reads on for a description where the tagged one is %s', async (_, meta, content) => {
    const tags = `<meta property=og:title content=T><meta property=og:image content=/i><meta ${meta} content="${content}">`;
    const script = `<script>${'x'.repeat(40_000)}</script>`;
    const text = 'Words of the page that say what it is about.';

    const page = await pageOf(`<head>${tags}${script}<body>${script}<p>${text}</p>`);

    expect(page?.openGraph.get('og:description')).toBe(text);
  });
});
