import { rmSync, truncateSync } from 'node:fs';

import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { NewMedia } from '../../../../src/core/preview/media/media-store.js';
import { sampleImage } from '../../../core/preview/media/sample-images.js';
import { startMediaServer, type MediaServer } from './media-server.js';

const TOKEN = 'secret';
const AUTHORIZED = { Authorization: `Bearer ${TOKEN}` };
const BASES = ['media/r0', 'media/v1', 'media/v3', 'client/v1/media'];

let server: MediaServer;
let photo: NewMedia;
let bytes: Buffer;

beforeAll(async () => {
  server = await startMediaServer({ token: TOKEN, dynamic: false });
  bytes = await sampleImage(1200, 630).jpeg().toBuffer();
  photo = await server.kit.save(bytes, { contentType: 'text/html', uploadName: 'Käse.jpg' });
});

afterAll(() => server.close());

interface Ask {
  method?: string;
  headers?: Record<string, string>;
}

function ask(path: string, init: Ask = {}): Promise<Response> {
  return fetch(`${server.url}/_svc/${path}`, { ...init, headers: { ...AUTHORIZED, ...init.headers } });
}

const downloadPath = (media: NewMedia): string => `media/v3/download/notary.test/${media.mediaId}`;

async function errorOf(answer: Response): Promise<unknown> {
  expect(answer.headers.get('content-type')).toBe('application/json');
  return [answer.status, ((await answer.json()) as { errcode: string }).errcode];
}

describe('download', () => {
  it.each(BASES)('answers under %s with the bytes and the type they have', async (base) => {
    const answer = await ask(`${base}/download/notary.test/${photo.mediaId}`);

    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes);
  });

  it('lets no page run it, and other origins load it', async () => {
    const { headers } = await ask(downloadPath(photo));

    expect(Object.fromEntries(headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'",
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-allow-origin': '*',
      'cache-control': 'private, max-age=86400, immutable',
      'content-disposition': `inline; filename="K_se.jpg"; filename*=UTF-8''K%C3%A4se.jpg`,
    });
  });

  it.each([
    ['<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>', 'image/png', 'image/svg+xml'],
    ['<html><script>1</script>', 'text/html; charset=utf-8', 'text/html; charset=utf-8'],
    ['<html><script>1</script>', 'image/png', 'application/octet-stream'],
    ['x', 'a/b\r\nSet-Cookie: x=1', 'application/octet-stream'],
  ])('makes %j labelled %j a download of type %s', async (text, contentType, served) => {
    const media = await server.kit.save(Buffer.from(text), { contentType, uploadName: null });

    const answer = await ask(downloadPath(media));

    expect(answer.headers.get('content-type')).toBe(served);
    expect(answer.headers.get('content-disposition')).toBe('attachment');
    expect(answer.headers.get('set-cookie')).toBeNull();
  });

  it('answers a range with 206, one beyond the end with 416', async () => {
    const part = await ask(downloadPath(photo), { headers: { Range: 'bytes=10-19' } });
    const beyond = await ask(downloadPath(photo), { headers: { Range: 'bytes=99999999-' } });

    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 10-19/${bytes.length}`]);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(10, 20));
    expect(beyond.headers.get('content-range')).toBe(`bytes */${bytes.length}`);
    expect(beyond.headers.get('content-disposition')).toBeNull();
    expect(await errorOf(beyond)).toEqual([416, 'M_UNKNOWN']);
  });

  it('answers 304 to who has it already', async () => {
    const { headers } = await ask(downloadPath(photo));
    const byTag = await ask(downloadPath(photo), { headers: { 'If-None-Match': headers.get('etag')! } });
    const byTime = await ask(downloadPath(photo), {
      headers: { 'If-Modified-Since': headers.get('last-modified')! },
    });
    const other = await ask(downloadPath(photo), { headers: { 'If-None-Match': '"other"' } });

    expect([byTag.status, byTime.status, other.status]).toEqual([304, 304, 200]);
  });

  it.each([
    ['an unknown id', 'notary.test/2026-11-21_abcdefghijklmnop'],
    ['a path in the id', 'notary.test/..%2F..%2Fetc%2Fpasswd'],
    ['a NUL in the id', 'notary.test/2026-11-21_abcdefghijklmno%00'],
  ])('answers 404 M_NOT_FOUND to %s', async (_name, tail) => {
    expect(await errorOf(await ask(`media/v3/download/${tail}`))).toEqual([404, 'M_NOT_FOUND']);
  });

  it('answers 404 when the file is gone, without headers of a file', async () => {
    const media = await server.kit.save(Buffer.from('gone'), {});
    rmSync(server.kit.file(media.mediaId));

    const answer = await ask(downloadPath(media));

    expect(answer.headers.get('etag')).toBeNull();
    expect(answer.headers.get('cache-control')).toContain('no-store');
    expect(await errorOf(answer)).toEqual([404, 'M_NOT_FOUND']);
  });
});

describe('thumbnail', () => {
  async function size(query: string, media = photo, at = server): Promise<string> {
    const answer = await fetch(
      `${at.url}/_svc/client/v1/media/thumbnail/notary.test/${media.mediaId}?${query}`,
      {
        headers: AUTHORIZED,
      },
    );
    expect(answer.status).toBe(200);
    const { width, height, format } = await sharp(Buffer.from(await answer.arrayBuffer())).metadata();
    return `${width}x${height} ${format}`;
  }

  it.each([
    ['width=32&height=32&method=crop', '32x32'],
    ['width=96&height=96&method=crop', '96x96'],
    ['width=100&height=100&method=crop', '320x168'],
    ['width=320&height=240&method=scale&animated=true', '320x168'],
    ['width=640&height=480&method=scale', '640x336'],
    ['width=5000&height=5000&method=scale', '800x420'],
  ])('of %s is the smallest that is large enough: %s', async (query, expected) => {
    expect(await size(query)).toBe(`${expected} jpeg`);
  });

  it.each([
    ['', 'M_MISSING_PARAM'],
    ['width=0&height=1', 'M_INVALID_PARAM'],
    ['width=1&height=1&method=stretch', 'M_INVALID_PARAM'],
  ])('with %j is a 400 %s', async (query, errcode) => {
    expect(await errorOf(await ask(`media/r0/thumbnail/notary.test/${photo.mediaId}?${query}`))).toEqual([
      400,
      errcode,
    ]);
  });

  it('of something that is not an image is a 404', async () => {
    const page = await server.kit.save(Buffer.from('<html>'), { contentType: 'text/html' });

    expect(
      await errorOf(await ask(`media/r0/thumbnail/notary.test/${page.mediaId}?width=9&height=9`)),
    ).toEqual([404, 'M_NOT_FOUND']);
  });

  const KEY = { width: 240, height: 240, method: 'scale', contentType: 'image/png' } as const;

  it('whose file is lost is made again', async () => {
    const media = await server.kit.save(await sampleImage(500, 500).png().toBuffer());
    rmSync(server.kit.thumbnail(media.mediaId, KEY));
    const asked = [1, 2, 3].map(() => size('width=200&height=200&method=scale', media));

    expect(await Promise.all(asked)).toEqual(Array(3).fill('240x240 png'));
    expect(await server.kit.rows.listThumbnails(media.mediaId)).toHaveLength(5);
  });

  it('that a crash cut short is never served, but made again', async () => {
    const media = await server.kit.save(await sampleImage(500, 500).png().toBuffer());
    truncateSync(server.kit.thumbnail(media.mediaId, KEY), 100);

    expect(await size('width=200&height=200&method=scale', media)).toBe('240x240 png');
  });

  it('on demand has the size asked for, rounded up to a small set, and its number is capped', async () => {
    const dynamic = await startMediaServer({ token: TOKEN, dynamic: true });
    const media = await dynamic.kit.save(bytes);

    expect(await size('width=478&height=200&method=scale', media, dynamic)).toBe('381x200 jpeg');
    expect(await size('width=400&height=180&method=scale', media, dynamic)).toBe('381x200 jpeg');
    expect(await size('width=956&height=400&method=crop', media, dynamic)).toBe('956x400 jpeg');
    expect(await size('width=200&height=500&method=crop', media, dynamic)).toBe('480x630 jpeg');
    // Those that are made of every image serve as well.
    expect(await size('width=800&height=600&method=scale', media, dynamic)).toBe('800x420 jpeg');
    expect(await size('width=32&height=32&method=crop', media, dynamic)).toBe('32x32 jpeg');
    await Promise.all(
      [1, 100, 200, 300, 400, 600, 900, 1400, 9000].flatMap((side) =>
        ['crop', 'scale'].map((method) =>
          size(`width=${side}&height=${side}&method=${method}`, media, dynamic),
        ),
      ),
    );
    expect((await dynamic.kit.rows.listThumbnails(media.mediaId)).length).toBeLessThanOrEqual(16);
    await dynamic.close();
  });
});
