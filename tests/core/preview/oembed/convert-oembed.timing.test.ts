import { describe, expect, it } from 'vitest';

import { convertOembed, type OembedData } from '../../../../src/core/preview/oembed/convert-oembed.js';

const URL_ASKED = 'https://page.example/dir/page';
const DAY_MS = 86_400_000;

const convert = async (
  document: unknown,
  extraction: 'standard' | 'enhanced' = 'standard',
): Promise<OembedData> => {
  const body = Buffer.isBuffer(document)
    ? document
    : Buffer.from(typeof document === 'string' ? document : JSON.stringify(document));
  return convertOembed(body, { url: URL_ASKED, baseUrl: URL_ASKED, extraction });
};

const openGraph = async (document: unknown, extraction?: 'standard' | 'enhanced') =>
  Object.fromEntries((await convert(document, extraction)).openGraph);

const NOTHING: OembedData = { openGraph: new Map(), authorName: null, cacheAgeMs: null };

describe('documents', () => {
  it.each<[string, unknown]>([
    ['broken JSON', '{"title":'],
    ['HTML', '<html>'],
    ['nothing', ''],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['a list', [{ title: 'x' }]],
    ['null', null],
    ['more than 1 MiB', { title: 'x'.repeat(1024 * 1024) }],
    ['a million levels', '['.repeat(500_000) + ']'.repeat(500_000)],
  ])('that are %s give nothing', async (_what, document) => {
    expect(await convert(document)).toEqual(NOTHING);
  });

  it.each(['1', '2.0', 2, null, [1]])('of version %j give nothing', async (version) => {
    expect(await convert({ version, title: 'x' })).toEqual(NOTHING);
  });

  it.each([
    '{"title":"x"}',
    '\uFEFF{"title":"x"}',
    '{"version":1,"title":"x"}',
    '{"version":1.0,"title":"x"}',
    '{"version":"1.0","title":"x"}',
  ])('%s is used', async (document) => {
    expect(await openGraph(document)).toEqual({ 'og:url': URL_ASKED, 'og:title': 'x' });
  });
});

describe('members', () => {
  it('become Open Graph, entities undone once', async () => {
    const result = await convert({
      type: 'link',
      title: 'A &amp;amp; B',
      provider_name: 'P&#8217;s',
      author_name: 'N',
      thumbnail_url: '../i.png',
    });

    expect(result).toEqual({
      openGraph: new Map([
        ['og:url', URL_ASKED],
        ['og:title', 'A &amp; B'],
        ['og:site_name', 'P\u2019s'],
        ['og:image', 'https://page.example/i.png'],
        ['og:type', 'website'],
      ]),
      authorName: 'N',
      cacheAgeMs: null,
    });
  });
});

describe('types', () => {
  it('a rich one gives image, video and description of its HTML', async () => {
    const html = `<style>p{}</style><p>Hello <b>big</b> world</p><script>x()</script>
      <img src="i.png"><img src="j.png"><embed src="e.swf"><video src="v.mp4"></video>`;

    expect(await openGraph({ type: 'rich', html })).toEqual({
      'og:url': URL_ASKED,
      'og:image': 'https://page.example/dir/i.png',
      'og:video': 'https://page.example/dir/v.mp4',
      'og:description': 'Hello\n\nbig\n\nworld',
    });
    expect(await openGraph({ type: 'rich', html }, 'enhanced')).toMatchObject({
      'og:description': 'Hello big world',
    });
  });

  it.each([
    '<blockquote class="wp-embedded-content"><a href="/p">Tea &amp; Cake</a></blockquote><iframe></iframe>',
    '<a href="/p">Tea &#038; cake</a> from <a href="/">The Kettle</a>',
    '<a href="https://page.example/p">https://page.example/p</a>',
  ])('a rich one, enhanced, is not described by its title again: %s', async (html) => {
    const document = { type: 'rich', title: 'Tea &#038; Cake', provider_name: 'The Kettle', html };

    expect(await openGraph(document, 'enhanced')).not.toHaveProperty(['og:description']);
    expect(await openGraph(document, 'standard')).toHaveProperty(['og:description']);
  });

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'blob:https://a.example/b',
    ' JaVa\tscript:x',
  ])('no player is at %j', async (address) => {
    const html = `<video src="${address}">`;

    expect(await openGraph({ type: 'video', html })).toEqual({
      'og:url': URL_ASKED,
      'og:type': 'video.other',
    });
    expect(await openGraph({ type: 'video', html }, 'enhanced')).not.toHaveProperty(['og:video']);
  });
});

describe('cache age', () => {
  it.each<[unknown, number | null]>([
    [7200, 7_200_000],
    [100_000, DAY_MS],
    [0, 0],
    [-5, 0],
    ['soon', null],
    [undefined, null],
  ])('%j gives %j ms', async (cache_age, expected) => {
    expect((await convert({ cache_age })).cacheAgeMs).toBe(expected);
  });
});

describe('hostile HTML', () => {
  it.each([
    ['deep nesting', '<b>'.repeat(10_000)],
    ['deep blocks', '<div>'.repeat(6000)],
    ['many attributes', `<p ${Array.from({ length: 4000 }, (_, at) => `a${at}=1`).join(' ')}>`],
    ['an open comment', `<!--${'-'.repeat(30_000)}`],
    ['half a megabyte', '<p>x</p>'.repeat(60_000)],
  ])('of %s is read in bounded time', async (_what, html) => {
    await convert({ type: 'rich', html: '<p>x' });
    const started = performance.now();

    expect(await openGraph({ type: 'rich', html: `<p>first</p>${html}` })).toMatchObject({
      'og:description': expect.stringMatching(/^first/),
    });
    expect(performance.now() - started).toBeLessThan(2000);
  });

  it('of many siblings takes a time that grows with their number, not with its square', async () => {
    const bestMs = { 2500: Infinity, 10_000: Infinity };
    const measure = async (count: keyof typeof bestMs): Promise<void> => {
      const html = '<p>'.repeat(count);
      const startMs = performance.now();
      // As many siblings in all: collecting garbage is in each measurement, and takes the same of both.
      for (let read = 0; read < 100_000; read += count) await convert({ type: 'rich', html });
      bestMs[count] = Math.min(bestMs[count], (performance.now() - startMs) / (100_000 / count));
    };
    for (let run = 0; run < 6; run += 1) {
      await measure(2500);
      await measure(10_000);
    }

    // Four times as many: 4 and a little, or 16.
    expect(bestMs[10_000] / bestMs[2500]).toBeLessThan(9);
  });
});
