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
});
