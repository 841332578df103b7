import { describe, expect, it } from 'vitest';

import { extractPage, type PageInput } from '../../../../src/core/preview/extract/extract-page.js';

const URL_ASKED = 'https://site.example/dir/page';
const PARAGRAPH =
  'The council of the town has decided to build a bridge over the river, and it will take three years to do so.';

async function read(
  html: string,
  input: Partial<PageInput> = {},
  mode: 'standard' | 'enhanced' = 'enhanced',
) {
  const page = await extractPage(
    { body: Buffer.from(html), contentType: 'text/html; charset=utf-8', url: URL_ASKED, ...input },
    { mode },
  );
  return {
    title: page?.openGraph.get('og:title'),
    description: page?.openGraph.get('og:description'),
    image: page?.images[0],
    site: page?.openGraph.get('og:site_name'),
    oembed: page?.oembedUrls,
    refresh: page?.refresh,
  };
}

const many = (count: number, make: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => make(n)).join('');
const jsonLd = (value: unknown): string =>
  `<script type="application/ld+json">${JSON.stringify(value)}</script>`;

describe('a page whose tags say all of a card', () => {
  const card = (image: string): string =>
    `<meta property=og:title content=T><meta name=description content=D><meta property=og:image content="${image}">`;
  const long = `<script>${'x'.repeat(40_000)}</script>`;
  const LINK = '<link rel=alternate type=application/json+oembed href=/o>';

  it.each([
    ['no page shows', '/'],
    ['shows nothing', '/img/no-image.jpg'],
    ['no template filled in', '#'],
  ])('is read on where its image is one that %s', async (_what, image) => {
    const page = await read(
      `<head>${card(image)}</head><body>${long}<img src=/photo.jpg width=600 height=400>`,
    );

    expect(page.image).toBe('https://site.example/photo.jpg');
  });

  it.each([
    ['a body', `<head>${card('/i.png')}</head><body>${long}${LINK}`],
    ['a head that holds a block', `<head>${card('/i.png')}<div></div>${long}${LINK}</head><body>`],
  ])('announces oEmbed in %s', async (_where, html) => {
    expect((await read(html)).oembed).toEqual(['https://site.example/o']);
  });

  it('is of the site that its structured data names', async () => {
    const data = jsonLd({ '@type': 'WebSite', name: 'S' });

    expect((await read(`<head>${card('/i.png')}</head><body>${long}${data}`)).site).toBe('S');
  });

  it('is a login page by a form far down', async () => {
    const body = Buffer.from(`<head>${card('/i.png')}</head><body>${long}<form><input type=password></form>`);
    const input = {
      body,
      contentType: 'text/html',
      url: 'https://site.example/login',
      requestedUrl: URL_ASKED,
    };

    expect((await extractPage(input, { mode: 'enhanced' }))?.interstitial).toBe('login');
  });
});

describe('no number of things hides what decides', () => {
  const TEXT = `<p>${PARAGRAPH}</p>`;

  it.each([
    ['links in a list', `<ul>${many(400, (n) => `<li><a href=/${n}>Language ${n}</a>`)}</ul>`],
    ['short lines', many(400, (n) => `<div>Line ${n}</div>`)],
    ['empty boxes', many(5_000, () => '<div><span></span></div>')],
  ])('%s: the text', async (_what, html) => {
    expect((await read(`<title>t</title>${html}${TEXT}`)).description).toBe(PARAGRAPH);
  });

  it('paragraphs: the article and what is behind the heading', async () => {
    const other = many(400, (n) => `<p>${n} people wrote what they thought of it, ${PARAGRAPH}</p>`);

    expect((await read(`${other}<article>${TEXT}</article>`)).description).toBe(PARAGRAPH);
    expect((await read(`${other}<h1>Bridge</h1>${TEXT}`)).description).toBe(PARAGRAPH);
  });

  it.each([
    ['links in other languages', many(300, (n) => `<link rel=alternate hreflang=x${n} href=/${n}>`)],
    ['icons', many(300, (n) => `<link rel=icon href=/${n}.png>`)],
    ['tags of no interest', many(3_000, (n) => `<meta name=x${n} content=y>`)],
  ])('%s: oEmbed, tags and image', async (_what, html) => {
    const rest =
      '<link rel=alternate type=application/json+oembed href=/o><meta property=og:title content=t>' +
      '<link rel=image_src href=/i.jpg>';

    expect(await read(html + rest)).toMatchObject({
      title: 't',
      image: 'https://site.example/i.jpg',
      oembed: ['https://site.example/o'],
    });
  });

  it.each([
    ['other things', jsonLd(Array.from({ length: 200 }, (_, n) => ({ '@type': 'Offer', name: `o${n}` })))],
  ])('%s of structured data: the article', async (_what, html) => {
    const article = jsonLd({ '@type': 'Article', headline: 'Bridge', description: PARAGRAPH });

    expect(await read(`<title>Bridge</title>${html}${article}`)).toMatchObject({ description: PARAGRAPH });
  });

  it.each([['small ones', many(600, (n) => `<img src=/flag${n}.png width=20 height=12>`)]])(
    'images, %s: that of the article',
    async (_what, html) => {
      const article = '<article><img src=/bridge.jpg width=640 height=400></article>';

      expect((await read(`<title>t</title>${html}${article}`)).image).toBe('https://site.example/bridge.jpg');
    },
  );

  it('elements nested too deep: the tags of the head behind them, and the text inside', async () => {
    const { title, description, image } = await read(
      `${'<div>'.repeat(2_000)}<title>t</title><meta property=og:image content=/i.png><p>${PARAGRAPH}`,
    );

    expect([title, description, image]).toEqual(['t', PARAGRAPH, 'https://site.example/i.png']);
  });
});

describe.each(['standard', 'enhanced'] as const)('tags as HTML reads them, %s', (mode) => {
  const OWN = '<title>Own</title>';

  it.each([
    ['a comment that ends with --!>', `<!-- a --!>${OWN}`],
    ['empty comments', `<!--><!--->${OWN}`],
    [
      'a script in a comment of a script',
      `<script><!-- <script> </script><title>No</title> --></script>${OWN}`,
    ],
    ['a comment of a script that ends before', `<script><!-- a --> "<script>"</script>${OWN}`],
    ['a title in a frame', `<iframe><title>No</title></iframe>${OWN}`],
    ['a title in a text field', `<textarea><title>No</title></textarea>${OWN}`],
    ['a title that is not closed', '<title>Own<meta property=og:description content=D><body><p>x'],
    ['CDATA in a title', '<title><![CDATA[Own]]></title>'],
    ['CDATA in HTML', `<![CDATA[<title>No</title>]]>${OWN}`],
    ['a closing tag that begins with a blank', `</ title>${OWN}`],
  ])('%s', async (_what, html) => {
    expect((await read(html, {}, mode)).title).toBe('Own');
  });
});

describe.each(['standard', 'enhanced'] as const)('UTF-16 without a mark, %s', (mode) => {
  it.each(['', '\r\n'])('is no binary file, behind %j', async (blanks) => {
    const body = Buffer.from(`${blanks}<title>Größe</title>`, 'utf16le');

    expect((await read('', { body, contentType: 'text/html' }, mode)).title).toBe('Größe');
  });
});

describe('headers of a page are part of it', () => {
  const TYPE = 'type="application/json+oembed"';
  const PAGE = `<title>t</title><base href=/elsewhere/><p>${PARAGRAPH}`;

  it.each([
    ['relative to the page', `<o>; rel="alternate"; ${TYPE}`, ['https://site.example/dir/o']],
    [
      'behind fifty others',
      `${'</a.js>; rel=preload; as=script, '.repeat(50)}</o>; rel=alternate; ${TYPE}`,
      ['https://site.example/o'],
    ],
    ['of another page', `</o>; rel=alternate; anchor="/other"; ${TYPE}`, []],
    ['of another type', '</o>; rel=alternate; type=text/xml+oembed', []],
    ['broken', `<o; rel=alternate; ${TYPE}`, []],
  ])('oEmbed, %s', async (_what, link, oembed) => {
    expect((await read(PAGE, { headers: { link } })).oembed).toEqual(oembed);
  });

  it('oEmbed of the page comes first', async () => {
    const html = `<link rel=alternate ${TYPE} href=/own>`;

    expect((await read(html, { headers: { link: `</o>; rel=alternate; ${TYPE}` } })).oembed).toEqual([
      'https://site.example/own',
      'https://site.example/o',
    ]);
  });

  it.each([
    ['at once', '0; url=next', 'https://site.example/dir/next'],
    ['without url=', '0,/next', 'https://site.example/next'],
    ['after long', '60;url=/next', null],
    ['to a script', '0;url=javascript:x()', null],
    ['to a data URL', '0;url=data:text/html,x', null],
  ])('Refresh %s', async (_what, refresh, target) => {
    expect((await read('<base href=/elsewhere/><p>x', { headers: { refresh } })).refresh).toBe(target);
  });
});
