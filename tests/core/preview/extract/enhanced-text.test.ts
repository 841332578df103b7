import { describe, expect, it } from 'vitest';
import { extractPage } from '../../../../src/core/preview/extract/extract-page.js';

async function pageOf(html: string) {
  const input = { body: Buffer.from(html), contentType: null, url: 'https://site.example/' };
  return extractPage(input, { mode: 'enhanced' });
}

describe('extractPage, enhanced, sizes', () => {
  it('keeps all of more than 50 tags', async () => {
    const tags = Array.from({ length: 80 }, (_, n) => `<meta property=og:k${n} content=${n}>`).join('');

    const page = await pageOf(tags);

    expect(page?.openGraph.size).toBe(82);
  });

  it('cuts a long title and a long description at a word, before pruning would drop them', async () => {
    const text = 'word '.repeat(400);

    const page = await pageOf(
      `<meta property=og:title content="${text}"><meta name=description content="${text}">`,
    );

    expect(page?.openGraph.get('og:title')).toBe(`${'word '.repeat(59)}word…`);
    expect(page?.openGraph.get('og:description')).toBe(`${'word '.repeat(99)}word…`);
  });

  it('cuts text without blanks between characters', async () => {
    const page = await pageOf(`<meta name=description content="${'漢'.repeat(700)}">`);

    expect(page?.openGraph.get('og:description')).toBe(`${'漢'.repeat(499)}…`);
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

  it('does not take a long heading for the description', async () => {
    const heading = 'A heading that goes on and on '.repeat(4).trim();

    const page = await pageOf(`<h1>${heading}</h1><p>First paragraph.</p>`);

    expect(page?.openGraph.get('og:description')).toBe('First paragraph.');
  });

  it('does not repeat the only line of a page', async () => {
    const page = await pageOf('<body>Some text.</body>');

    expect(page?.openGraph.get('og:title')).toBe('Some text.');
    expect(page?.openGraph.get('og:description')).toBeNull();
  });

  it('keeps text that only begins like the title', async () => {
    const page = await pageOf('<title>Rain tomorrow</title><p>Rain</p><p>and wind.</p>');

    expect(page?.openGraph.get('og:description')).toBe('Rain and wind.');
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

  it('stops when aborted', async () => {
    const stop = new AbortController();
    const input = {
      body: Buffer.alloc(1_000_000, '<p>'),
      contentType: null,
      url: 'https://site.example/',
    };
    const pending = extractPage(input, { mode: 'enhanced', signal: stop.signal });

    stop.abort(new Error('too late'));

    await expect(pending).rejects.toThrow('too late');
  });
});
