import { randomBytes } from 'node:crypto';
import zlib from 'node:zlib';

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { page, startRemoteSite, type RemoteSite } from '../../../support/origins/remote-site.js';
import { createTestDownloader, outcome } from './download-setup.js';

const MAX_BYTES = 100_000;
const downloader = createTestDownloader({ maxBytes: MAX_BYTES });

let site: RemoteSite;

beforeAll(async () => {
  site = await startRemoteSite();
});
afterAll(() => site.close());
afterEach(() => site.pages.clear());

const get = (path: string) => outcome(downloader, { url: site.url(path) });

describe('content encodings', () => {
  const text = 'the same text again and again. '.repeat(100);
  const twoMembers = Buffer.concat([zlib.gzipSync(text.slice(0, 99)), zlib.gzipSync(text.slice(99))]);

  it.each([
    ['gzip', zlib.gzipSync(text)],
    ['gzip', twoMembers],
    ['deflate', zlib.deflateSync(text)],
    ['deflate', zlib.deflateRawSync(text)],
    ['br', zlib.brotliCompressSync(text)],
    ['identity', Buffer.from(text)],
    ['gzip, gzip', zlib.gzipSync(zlib.gzipSync(text))],
    ['br, gzip', zlib.gzipSync(zlib.brotliCompressSync(text))],
  ])('%s is undone', async (encoding, body) => {
    site.pages.set('/a', page(body, { headers: { 'content-encoding': encoding } }));

    expect(await get('/a')).toMatchObject({ body: Buffer.from(text) });
  });

  it.each([
    'identity',
    'none',
    'UTF-8',
    'chunked',
    'base64',
    'text',
    'nosniff',
    'webp',
    'image/jpeg',
    'null',
    'text/html',
    ', ,',
    'x'.repeat(5000),
  ])('%s changes nothing', async (encoding) => {
    site.pages.set('/a', page('as it is', { headers: { 'content-encoding': encoding } }));

    expect(await get('/a')).toMatchObject({ body: Buffer.from('as it is') });
  });

  it.each(['compress', 'zstd', 'gzip, zstd', 'aes128gcm', 'gzip,'.repeat(5)])(
    '%s is refused',
    async (encoding) => {
      site.pages.set('/a', page('x', { headers: { 'content-encoding': encoding } }));

      expect(await get('/a')).toMatchObject({
        status: 500,
        message: 'Failed to download content: unsupported content encoding',
      });
    },
  );

  const gzipped = zlib.gzipSync(text);

  it.each([
    ['gzip without trailer', 'gzip', gzipped.subarray(0, -8)],
    ['gzip of two members without trailer', 'gzip', twoMembers.subarray(0, -8)],
    ['gzip with a wrong checksum', 'gzip', Buffer.concat([gzipped.subarray(0, -8), Buffer.alloc(8, 1)])],
    ['gzip and a line break', 'gzip', Buffer.concat([gzipped, Buffer.from('\n')])],
    ['deflate without checksum', 'deflate', zlib.deflateSync(text).subarray(0, -4)],
  ])('%s is whole', async (_what, encoding, body) => {
    site.pages.set('/a', page(body, { headers: { 'content-encoding': encoding } }));

    expect(await get('/a')).toMatchObject({ body: Buffer.from(text) });
  });

  it.each([
    ['a body of zeros', 'gzip', zlib.gzipSync(Buffer.alloc(2 * MAX_BYTES))],
    ['a step on the way', 'gzip, gzip', zlib.gzipSync(zlib.gzipSync(randomBytes(2 * MAX_BYTES)))],
    ['gzip without trailer', 'gzip', zlib.gzipSync(Buffer.alloc(2 * MAX_BYTES)).subarray(0, -8)],
    ['brotli', 'br', zlib.brotliCompressSync(Buffer.alloc(50 * MAX_BYTES))],
  ])('%s beyond the size limit is too large', async (_what, encoding, body) => {
    site.pages.set('/a', page(body, { headers: { 'content-encoding': encoding } }));

    expect(await get('/a')).toMatchObject({ status: 502, errcode: 'M_TOO_LARGE' });
  });

  it.each([
    ['gzip', Buffer.from('not gzip')],
    ['gzip', zlib.gzipSync(text).subarray(0, 40)],
    ['gzip', twoMembers.subarray(0, -20)],
    ['deflate', zlib.deflateSync(text).subarray(0, 30)],
    ['br', Buffer.from('not brotli at all')],
    ['br', zlib.brotliCompressSync(text).subarray(0, 20)],
  ])('broken %s is a broken body', async (encoding, body) => {
    site.pages.set('/a', page(body, { headers: { 'content-encoding': encoding } }));

    expect(await get('/a')).toMatchObject({
      status: 502,
      errcode: 'M_UNKNOWN',
      message: 'Failed to download remote body: body cannot be decompressed',
    });
  });
});
