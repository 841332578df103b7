import { beforeAll, describe, expect, it } from 'vitest';

import { freePort } from '../../../support/origins/dns-server.js';
import { onlyEnhanced } from '../../../support/extraction.js';
import { page, redirect } from '../../../support/origins/remote-site.js';
import { SITE_NAME, startPreviewKit, tagged } from './preview-kit.js';
import { setUp } from '../../../support/set-up.js';

const MAX_BYTES = 20_000;

const kit = setUp(() =>
  startPreviewKit({
    settings: {
      max_spider_size: `${MAX_BYTES}`,
      url_preview_accept_language: ['de', 'en;q=0.5'],
      url_preview_ip_range_whitelist: ['127.0.0.1'],
      dns: {
        hosts: {
          [SITE_NAME]: ['127.0.0.1'],
          'mixed.test': ['127.0.0.1', '10.0.0.1'],
          'inside.test': ['10.0.0.1'],
          'empty.test': [],
        },
      },
    },
  }),
);

/** The outcome for a page, in short. */
async function outcome(target: string): Promise<[status: number, error: unknown]> {
  const { status, body } = await kit.preview(target);
  return [status, body['error'] ?? null];
}

describe('what the target answers', () => {
  it.each(['application/pdf', 'text/plain', 'application/xml', 'xtext/html', 'video/mp4'])(
    'the type %s is 502 and named',
    async (type) => {
      kit.serve(`/type/${type}`, page('x', { type }));
      expect(await outcome(`/type/${type}`)).toEqual([
        502,
        `Requested file's content type not allowed for this operation: ${type}`,
      ]);
    },
  );

  it.each(['TEXT/HTML', 'text/html; charset=x', 'application/xhtml+xml'])(
    'the type %s is a page',
    async (type) => {
      kit.serve(`/type/${type}`, page(tagged({ 'og:title': 'T' }), { type }));
      expect((await kit.preview(`/type/${encodeURI(type)}`)).status).toBe(type.includes(' ') ? 502 : 200);
    },
  );

  it('no type at all is stored and answered with {}', async () => {
    kit.serve('/no-type', page('<title>x</title>', { type: null }));
    expect(await kit.preview('/no-type')).toMatchObject({ status: 200, text: '{}' });
  });

  it.each([400, 401, 404, 410, 418, 429, 500, 503])('status %d is 502 Got error', async (status) => {
    kit.serve(`/status/${status}`, page('x', { status }));
    expect(await outcome(`/status/${status}`)).toEqual([502, `Got error ${status}`]);
  });

  it.each([300, 304])('status %d is not followed', async (status) => {
    kit.serve(`/status/${status}`, redirect('/never', status));
    expect(await outcome(`/status/${status}`)).toEqual([502, `Got error ${status}`]);
    expect(kit.hits('/never')).toEqual([]);
  });

  it.each([
    ['an empty body', ''],
    ['blanks', ' \n\t '],
    ['only a comment', '<!-- nothing -->'],
  ])('%s is {}', async (name, html) => {
    expect((await kit.preview(kit.serve(`/${encodeURIComponent(name)}`, html))).text).toBe('{}');
  });

  it('a page in no charset is {}', async () => {
    kit.serve('/c06', page(Buffer.from('<title>a\x81b</title>', 'latin1')));
    const { status, text } = await kit.preview('/c06');
    expect([status, text]).toEqual([200, '{}']);
  });
});

describe('redirects', () => {
  beforeAll(() => {
    kit.serve('/hop', (request, response) => {
      const left = Number(new URL(request.url ?? '', 'http://x').searchParams.get('left'));
      const location = left === 0 ? '/end' : `/hop?left=${left - 1}`;
      response.writeHead(302, { location }).end();
    });
    kit.serve('/end', tagged({ 'og:title': 'End' }));
  });

  it('20 are followed, 21 are 500', async () => {
    expect((await kit.preview('/hop?left=19')).body['og:title']).toBe('End');
    expect(await outcome('/hop?left=20')).toEqual([500, 'Failed to download content: too many redirects']);
  });

  it.each([301, 302, 303, 307, 308])('%d is followed with GET', async (status) => {
    kit.serve(`/r/${status}`, redirect('/end', status));
    expect((await kit.preview(`/r/${status}`)).body['og:title']).toBe('End');
  });

  it('cookies of a hop are sent on later hops and never afterwards', async () => {
    kit.serve('/set', redirect('/read', 302, { 'set-cookie': 'a=1; Path=/' }));
    kit.serve('/read', (request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(tagged({ 'og:title': request.headers.cookie ?? 'No cookie' }));
    });
    expect((await kit.preview('/set')).body['og:title']).toBe('a=1');
    expect((await kit.preview('/read')).body['og:title']).toBe('No cookie');
  });
});

describe('addresses and connections', () => {
  it('a refused connection and other schemes are 500', async () => {
    const closed = `http://site.test:${await freePort()}/`;
    expect(await outcome(closed)).toEqual([500, 'Failed to download content: connection refused']);
    for (const url of ['ftp://site.test/', 'file:///etc/passwd', 'mailto:a@b', 'gopher://x/', 'ws://x/']) {
      expect(await outcome(url)).toEqual([500, 'Failed to download content: unsupported URL scheme']);
    }
  });

  it('a data URL as target is 500 with its text', async () => {
    for (const url of ['data:text/html,<title>x</title>', 'DATA:,x', 'data:x']) {
      expect(await outcome(url)).toEqual([500, 'Previewing of data: URLs is forbidden']);
    }
  });
});

describe('sizes', () => {
  it('a body of the limit is 502 M_TOO_LARGE, one byte less is previewed', async () => {
    const html = (bytes: number) => '<title>Big</title>'.padEnd(bytes, ' ');
    kit.serve('/max', html(MAX_BYTES));
    kit.serve('/below', html(MAX_BYTES - 1));
    const { status, body } = await kit.preview('/max');
    expect([status, body['errcode'], body['error']]).toEqual([
      502,
      'M_TOO_LARGE',
      `Requested file is too large > ${MAX_BYTES} bytes`,
    ]);
    expect((await kit.preview('/below')).body['og:title']).toBe('Big');
  });
});

describe('what the target is told', () => {
  it('languages as configured, a crawler without version, no cookie and no referer', async () => {
    await kit.preview(kit.serve('/p29', tagged({ 'og:title': 'x' })));
    const hit = kit.site.hits.find(({ path }) => path === '/p29')!;
    const languages = hit.rawHeaders.filter((_v, i, all) => /^accept-language$/i.test(all[i - 1] ?? ''));
    expect(languages.join(', ')).toBe('de, en;q=0.5');
    expect(hit.headers['user-agent']).toMatch(/bot/i);
    expect(hit.headers['user-agent']).not.toMatch(/\d+\.\d+/);
    expect(hit.headers.cookie).toBeUndefined();
    expect(hit.headers.referer).toBeUndefined();
    expect(hit.headers.authorization).toBeUndefined();
  });

  it('credentials and fragment of the address are never sent', async () => {
    kit.serve('/secret', tagged({ 'og:title': 'x' }));
    const url = kit.url('/secret#part').replace('http://', 'http://me:pw@');
    expect((await kit.preview(url)).status).toBe(200);
    const hit = kit.site.hits.find(({ path }) => path.startsWith('/secret'))!;
    expect(hit.path).toBe('/secret');
    expect(hit.headers.authorization).toBeUndefined();
  });
});

describe.each(['standard', 'enhanced'])('addresses that a page states (%s)', (extraction) => {
  const KEYS = ['og:video', 'og:audio', 'og:see_also', 'article:publisher'];
  const own = setUp(() => startPreviewKit({ settings: { previews: { extraction } } }));

  it.each(['http://b.test/x', 'https://b.test/x', 'spotify:track:1'])(
    '%s passes as stated',
    async (value) => {
      const tags = Object.fromEntries(KEYS.map((key) => [key, value]));
      const { body } = await own.preview(own.serve(`/pass/${encodeURIComponent(value)}`, tagged(tags)));
      expect(body).toMatchObject(tags);
    },
  );

  it.each([
    'javascript:alert(1)',
    ' JavaScript:x',
    'java\tscript:x',
    'data:text/html,x',
    'file:///etc/passwd',
  ])('%j stays out of what clients open', async (value) => {
    const tags = { ...Object.fromEntries(KEYS.map((key) => [key, value])), 'og:title': value };
    const { body } = await own.preview(own.serve(`/runs/${encodeURIComponent(value)}`, tagged(tags)));
    for (const key of KEYS) expect(body).not.toHaveProperty([key]);
    expect(String(body['og:title']).trim()).not.toBe('null');
  });
});

describe('SPEC §4.7.12: pruning', () => {
  it('a value above 1,000 code points goes, none is cut', onlyEnhanced(), async () => {
    const { body } = await kit.preview(
      kit.serve(
        '/cut',
        tagged({
          'og:title': 'T',
          'og:description': 'word '.repeat(201),
          'twitter:description': 'word '.repeat(200),
          'og:video': `https://site.test/${'v'.repeat(1000)}`,
          'og:see_also': `https://site.test/${'v'.repeat(900)}`,
        }),
      ),
    );
    expect(body['og:description']).toBe('word '.repeat(200).trim());
    expect(body).not.toHaveProperty(['og:video']);
    expect(body['og:see_also']).toHaveLength(918);
  });

  it('keys above 50 and values above 1,000 code points go, the others stay', async () => {
    const key = (length: number) => 'og:'.padEnd(length, 'k');
    const { body } = await kit.preview(
      kit.serve(
        '/prune',
        tagged({
          'og:title': 'T',
          [key(50)]: 'kept',
          [key(51)]: 'gone',
          'og:emoji': '😀'.repeat(1000),
          'og:more': '😀'.repeat(1001),
          'og:ascii': 'a'.repeat(1001),
        }),
      ),
    );
    expect(body[key(50)]).toBe('kept');
    expect(body['og:emoji']).toBe('😀'.repeat(1000));
    for (const gone of [key(51), 'og:more', 'og:ascii']) expect(body).not.toHaveProperty([gone]);
  });
});
