import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import sharp from 'sharp';

import { temporaryFolder } from '../../../cli/vidimus.js';
import { page, redirect } from '../../../support/origins/remote-site.js';
import { startPreviewKit, tagged, type PreviewKit } from './preview-kit.js';
import { setUp } from '../../../support/set-up.js';

let kit: PreviewKit;
const folder = setUp(temporaryFolder);

beforeAll(async () => {
  const providers = join(folder.path, 'providers.json');
  // The patterns name the site's port, which is known only after the start.
  writeFileSync(providers, '[]');
  kit = await startPreviewKit({ settings: { oembed: { additional_providers: [providers] } } });
  const endpoint = (schemes: string[], url: string, formats?: string[]) => ({
    schemes: schemes.map((path) => kit.url(path)),
    url: kit.url(url),
    ...(formats === undefined ? {} : { formats }),
  });
  writeFileSync(
    providers,
    JSON.stringify([
      {
        provider_name: 'Ours',
        provider_url: 'http://x/',
        endpoints: [
          endpoint(['/watch/*'], '/endpoint'),
          endpoint(['/xml/*'], '/endpoint.xml'),
          endpoint(['/only-xml/*'], '/endpoint', ['xml']),
          endpoint(['/down/*'], '/endpoint-down'),
          endpoint(['/html/*'], '/endpoint-html'),
          endpoint(['/image/*'], '/shot.png'),
          endpoint(['/list/*'], '/endpoint-list'),
          { url: kit.url('/no-schemes') },
        ],
      },
      { provider_name: 'Broken', endpoints: 'none' },
    ]),
  );
  await kit.restart();
  const image = await sharp({ create: { width: 50, height: 20, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  for (const path of ['/shot.png', '/thumb.png', '/photo.png']) {
    kit.serve(
      path,
      page(image, { type: 'image/png', headers: { 'content-disposition': 'inline; filename=shot.png' } }),
    );
  }
  kit.serve('/endpoint-down', page('x', { status: 503 }));
  kit.serve('/endpoint-html', page(tagged({ 'og:title': 'From the endpoint' })));
  kit.serve('/endpoint-list', json([1]));
});
afterAll(() => kit.remove());

function json(value: unknown) {
  return page(typeof value === 'string' ? value : JSON.stringify(value), { type: 'application/json' });
}

describe('an address that a provider pattern matches (SPEC §4.7.4)', () => {
  it('only the endpoint is asked, with url and format', async () => {
    kit.serve('/endpoint', json({ version: '1.0', type: 'link', title: 'Watched', author_name: 'A' }));
    const url = kit.serve('/watch/1', tagged({ 'og:title': 'The page' }));
    const { body } = await kit.preview(url);
    expect(body).toEqual({ 'og:url': url, 'og:title': 'Watched', 'og:type': 'website' });
    expect(kit.hits('/watch')).toEqual([]);
    const query = new URL(kit.hits('/endpoint?')[0]!, 'http://x').searchParams;
    expect([query.get('url'), query.get('format')]).toEqual([url, 'json']);
  });

  it('SPEC §4.7.11: without a title the author name is the title', async () => {
    kit.serve('/endpoint', json({ version: '1.0', type: 'link', author_name: 'Ada &amp; Bob' }));
    expect((await kit.preview('/watch/2')).body['og:title']).toBe('Ada & Bob');
  });

  it('an HTML answer is read as a page, an image as an image', async () => {
    expect((await kit.preview('/html/1')).body['og:title']).toBe('From the endpoint');
    expect((await kit.preview('/image/1')).body).toMatchObject({
      'og:description': 'shot.png',
      'og:image:type': 'image/png',
      'og:image:width': 50,
    });
  });

  it.each([
    ['a list', [1]],
    ['no JSON', '{'],
    ['a deep bomb', '['.repeat(200_000)],
  ])('SPEC §4.7.8: %s is {}', async (name, value) => {
    kit.serve('/endpoint', json(value));
    const { status, text } = await kit.preview(`/watch/${encodeURIComponent(name)}`);
    expect([status, text]).toEqual([200, '{}']);
  });
});

describe('an address that a page advertises (SPEC §4.7.7)', () => {
  let number = 0;
  /** Previews a page with these tags that advertises an oEmbed answer. */
  async function discovered(
    answer: unknown,
    {
      tags = { 'og:title': 'Page', 'og:description': 'Text' },
      link = '',
    }: { tags?: Record<string, string>; link?: string } = {},
  ) {
    number += 1;
    const href = `/oembed/${number}`;
    kit.serve(href, typeof answer === 'function' ? (answer as ReturnType<typeof page>) : json(answer));
    const tag =
      link === ''
        ? `<link rel="alternate" type="application/json+oembed" href="${href}">`
        : link.replace('HREF', href);
    const url = kit.serve(`/page/${number}`, tagged(tags).replace('<head>', `<head>${tag}`));
    return { ...(await kit.preview(url)), url, href };
  }

  it('its values win, the page fills the rest', async () => {
    const { body, url } = await discovered({
      version: '1.0',
      type: 'video',
      title: 'oEmbed',
      provider_name: 'Site',
      width: 640,
      height: '360',
      html: '<iframe></iframe>',
    });
    expect(body).toMatchObject({
      'og:title': 'oEmbed',
      'og:description': 'Text',
      'og:site_name': 'Site',
      'og:type': 'video.other',
      'og:video:width': 640,
      'og:url': url,
    });
    expect(body).not.toHaveProperty(['og:video:height']);
  });

  it('what is not oEmbed leaves the page as it is', async () => {
    const html = page('<title>error</title>');
    for (const answer of [html, '{', [1], 'null', '"x"', '[]', { version: '2.0', title: 'x' }]) {
      const { status, body } = await discovered(answer);
      expect(status).toBe(200);
      expect(body).toEqual({ 'og:title': 'Page', 'og:description': 'Text' });
    }
  });

  it('SPEC §7: one that fails, fails the preview', async () => {
    const { status, body } = await discovered(page('x', { status: 500 }));
    expect([status, body['error']]).toEqual([502, 'Got error 500']);
    const denied = await discovered(
      {},
      { link: '<link rel="alternate" type="application/json+oembed" href="http://10.0.0.1/">' },
    );
    expect([denied.status, denied.body['error']]).toEqual([403, 'IP address blocked by IP blacklist entry']);
  });

  it('SPEC §4.7.11: its author outranks a title made of text, and no other', async () => {
    const named = { version: '1.0', type: 'link', author_name: 'Ada' };
    const page = async (path: string, body: string) => {
      kit.serve(`/oembed/${path}`, json(named));
      const link = `<link rel="alternate" type="application/json+oembed" href="/oembed/${path}">`;
      return (await kit.preview(kit.serve(`/by/${path}`, `<head>${link}</head><body>${body}</body>`))).body;
    };
    expect((await page('text', '<p>Some words of a page.</p>'))['og:title']).toBe('Ada');
    expect((await page('heading', '<h1>Heading</h1>'))['og:title']).toBe('Heading');
  });

  it('a data URL is allowed, a broken one is 500', async () => {
    const data = (text: string) => ({
      link: `<link rel="alternate" type="application/json+oembed" href='${text}'>`,
    });
    const good = 'data:application/json,{"version":"1.0","type":"link","title":"Data"}';
    expect((await discovered({}, data(good))).body['og:title']).toBe('Data');
    const { status, body } = await discovered({}, data('data:application/json;base64'));
    expect(status).toBe(500);
    expect(body['error']).toMatch(/^Failed to parse data URL: /);
  });

  it('rel="alternative" is used; relative addresses are those of the final page', async () => {
    kit.serve('/deep/oembed', json({ version: '1.0', type: 'link', title: 'Deep' }));
    kit.serve(
      '/deep/page',
      '<head><link rel="alternative" type="application/json+oembed" href="oembed"></head>',
    );
    expect((await kit.preview(kit.serve('/to-deep', redirect('/deep/page')))).body['og:title']).toBe('Deep');
  });
});

describe('other targets (SPEC §4.7.10)', () => {
  it('JSON that no pattern led to is {}', async () => {
    kit.serve('/plain.json', json({ version: '1.0', type: 'link', title: 'x' }));
    expect((await kit.preview('/plain.json')).text).toBe('{}');
  });
});
