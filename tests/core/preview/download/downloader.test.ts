import { randomBytes } from 'node:crypto';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { page, redirect, startRemoteSite, type RemoteSite } from '../../../support/origins/remote-site.js';
import { createTestDownloader, outcome, PAGE } from './download-setup.js';

const MAX_BYTES = 100_000;

let site: RemoteSite;
let downloader = createTestDownloader();

beforeAll(async () => {
  site = await startRemoteSite();
});
afterAll(() => site.close());
beforeEach(() => {
  downloader = createTestDownloader({ maxBytes: MAX_BYTES });
});
afterEach(() => {
  site.pages.clear();
  site.hits.length = 0;
});

const get = (path: string) => outcome(downloader, { url: site.url(path) });

describe('what a download returns', () => {
  it.each([
    ['of a stated size', 1, true],
    ['of a stated size', 1024 * 1024, true],
    ['of a stated size', 3_000_000, true],
    ['of unknown size', 1, false],
    ['of unknown size', 3_000_000, false],
    ['of stated size 0', 0, true],
  ])('is the body %s, %i bytes, to the last one', async (_what, sizeBytes, isStated) => {
    const body = randomBytes(sizeBytes);
    site.pages.set('/body', (_request, response) => {
      response.writeHead(200, {
        'content-type': 'text/html',
        ...(isStated ? { 'content-length': sizeBytes } : {}),
      });
      response.end(body);
    });
    const large = createTestDownloader({ maxBytes: 4_000_000 });

    const got = await large.download({ ...PAGE, url: site.url('/body') });

    expect([got.sizeBytes, got.body.equals(body)]).toEqual([sizeBytes, true]);
  });

  it('holds address, status, raw content type, file name, ETag and body (SPEC §4.7.5)', async () => {
    const headers = {
      etag: '"v1"',
      'content-disposition': 'inline; filename="a.html"',
      'cf-mitigated': 'c',
      server: 's',
    };
    site.pages.set('/a', page('<p>hi', { status: 203, type: 'text/html; charset=X', headers }));

    expect(await get('/a?q=1#part')).toEqual({
      finalUrl: site.url('/a?q=1'),
      redirects: 0,
      status: 203,
      contentType: 'text/html; charset=X',
      fileName: 'a.html',
      etag: '"v1"',
      body: Buffer.from('<p>hi'),
      sizeBytes: 5,
      headers: new Map([['cf-mitigated', 'c']]),
    });
  });
});

describe('request headers', () => {
  it('hold a non-ASCII address in converted form', async () => {
    downloader = createTestDownloader({ hosts: { 'xn--bcher-kva.example': ['127.0.0.1'] } });
    site.pages.set('/%C3%BC', page('x'));

    await outcome(downloader, { url: `http://bücher.example:${site.port}/ü?ä` });

    expect(site.hits[0]).toMatchObject({
      host: `xn--bcher-kva.example:${site.port}`,
      path: '/%C3%BC?%C3%A4',
    });
  });
});

describe('redirects', () => {
  it.each([
    ['', 'redirect without a usable location'],
    ['http://[::1', 'redirect without a usable location'],
    ['ftp://127.0.0.1/', 'unsupported URL scheme'],
    ['file:///etc/passwd', 'unsupported URL scheme'],
    ['data:text/html,x', 'unsupported URL scheme'],
    ['unix:/var/run/x.sock', 'unsupported URL scheme'],
    ['http://127.0.0.1:0/', 'unsupported URL scheme'],
    [`/${'x'.repeat(8192)}`, 'redirect without a usable location'],
  ])('to %j fail', async (location, text) => {
    site.pages.set('/a', redirect(location));

    expect(await get('/a')).toMatchObject({ status: 500, message: `Failed to download content: ${text}` });
  });

  it('read a Location of UTF-8 bytes', async () => {
    site.pages.set('/a', redirect(Buffer.from('/ü').toString('latin1')));
    site.pages.set('/%C3%BC', page('x'));

    expect(await get('/a')).toMatchObject({ finalUrl: site.url('/%C3%BC') });
  });

  it('tell each address, as it was written, before it is contacted', async () => {
    const target = `HTTP://127.0.0.1:${site.port}/b/../c`;
    site.pages.set('/a', redirect(target));
    site.pages.set('/c', redirect('d'));
    const seen: string[] = [];
    const refusal = new Error('refused');
    const onHop = (url: string): void => {
      seen.push(url);
      if (url.endsWith('/d')) throw refusal;
    };

    await expect(downloader.download({ ...PAGE, url: site.url('/a'), onHop })).rejects.toBe(refusal);
    expect(seen).toEqual([site.url('/a'), target, site.url('/d')]);
    expect(site.hits.map((hit) => hit.path)).toEqual(['/a', '/c']);
  });
});

describe('cookies', () => {
  it.each([
    ['too many', Array.from({ length: 1000 }, (_, at) => `c${at}=${'x'.repeat(5)}`)],
    ['too large', ['big='.padEnd(5000, 'x')]],
  ])('that are %s cost no more than the header limit', async (_what, cookies) => {
    site.pages.set('/a', redirect('/b', 302, { 'set-cookie': cookies.slice(0, 300) }));
    site.pages.set('/b', page('b'));

    expect(await get('/a')).toMatchObject({ status: 200 });
    expect((site.hits[1]?.headers.cookie ?? '').split('; ').length).toBeLessThanOrEqual(50);
  });

  it('stay with the host that set them', async () => {
    downloader = createTestDownloader({ hosts: { 'a.example': ['127.0.0.1'], 'b.example': ['127.0.0.1'] } });
    const other = site.url('/b', 'b.example');
    site.pages.set(
      '/a',
      redirect(other, 302, { 'set-cookie': ['s=1', 'w=2; Domain=b.example', 't=3; Domain=example'] }),
    );
    site.pages.set('/b', page('b'));

    await outcome(downloader, { url: site.url('/a', 'a.example') });

    expect(site.hits.map((hit) => hit.headers.cookie)).toEqual([undefined, undefined]);
  });
});

describe('places', () => {
  it('two downloads per host run at once, a third waits, and other hosts pass it', async () => {
    downloader = createTestDownloader({ hosts: { 'a.example': ['127.0.0.1'], 'b.example': ['127.0.0.1'] } });
    const running: (() => void)[] = [];
    const arrivals: string[] = [];
    let arrived = (): void => {};
    const untilArrived = async (count: number): Promise<void> => {
      while (arrivals.length < count) await new Promise<void>((resolve) => (arrived = resolve));
    };
    for (const path of ['/1', '/2', '/3']) {
      site.pages.set(path, (request, response) => {
        arrivals.push(`${request.headers.host?.split('.')[0]}${path}`);
        running.push(() => page('x')(request, response));
        arrived();
      });
    }

    const slow = ['/1', '/2', '/3'].map((path) => outcome(downloader, { url: site.url(path, 'a.example') }));
    await untilArrived(2);
    const other = outcome(downloader, { url: site.url('/3', 'b.example') });
    await untilArrived(3);
    expect(arrivals).toEqual(['a/1', 'a/2', 'b/3']);
    running.shift()?.();
    await untilArrived(4);
    for (const answer of running) answer();

    expect(arrivals).toEqual(['a/1', 'a/2', 'b/3', 'a/3']);
    expect((await Promise.all([...slow, other])).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });
});

describe('status and content type', () => {
  it.each([
    'text/html',
    'TEXT/HTML; x',
    'text/htmlfoo',
    'application/xhtml+xml',
    'image/x',
    'application/json+x',
  ])('type %s is accepted', async (type) => {
    site.pages.set('/a', page('x', { type }));

    expect(await get('/a')).toMatchObject({ contentType: type });
  });

  it.each(['text/plain', 'application/pdf', 'application/xml', '', 'xtext/html', 'text/html\u00e9'])(
    'type %j is refused by name',
    async (type) => {
      site.pages.set('/a', page('x', { type }));

      expect(await get('/a')).toMatchObject({
        status: 502,
        errcode: 'M_UNKNOWN',
        message: `Requested file's content type not allowed for this operation: ${type.replace('\u00e9', '?')}`,
      });
    },
  );
});

describe('size limit', () => {
  it('a Content-Length above it fails before any of the body', async () => {
    site.pages.set('/a', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-length': MAX_BYTES + 1 });
      response.flushHeaders();
    });

    expect(await get('/a')).toMatchObject({ status: 502, errcode: 'M_TOO_LARGE' });
  });
});

describe('addresses that cannot be fetched', () => {
  it.each([
    'ftp://127.0.0.1/',
    'file:///etc/passwd',
    'mailto:a@b',
    'no-scheme',
    '',
    'http://',
    'javascript:1',
  ])('%j gives 500', async (url) => {
    expect(await outcome(downloader, { url })).toMatchObject({
      status: 500,
      errcode: 'M_UNKNOWN',
      message: 'Failed to download content: unsupported URL scheme',
    });
  });

  it('a cancelled download ends at once', async () => {
    const caller = new AbortController();
    site.pages.set('/a', () => caller.abort());

    expect(await outcome(downloader, { url: site.url('/a'), signal: caller.signal })).toMatchObject({
      status: 500,
      message: 'Failed to download content: cancelled',
    });
  });
});
