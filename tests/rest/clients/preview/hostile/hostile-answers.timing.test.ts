import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import {
  drip,
  flood,
  sayAndHold,
  startHostileOrigin,
  type HostileOrigin,
  type Misbehaviour,
} from '../../../../support/origins/hostile-origin.js';
import { page } from '../../../../support/origins/remote-site.js';
import { startPreviewKit, tagged, type PreviewKit } from '../preview-kit.js';
import { underAttack } from './strain.js';

const OK = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n';
const LIMITS = { response_timeout: '600ms', fetch_timeout: '1200ms', preview_timeout: '2s' };

let kit: PreviewKit;
let origin: HostileOrigin;
const zeros = Buffer.alloc(200 * 1024 * 1024);
const bombs = {
  gzip: gzipSync(zeros),
  br: brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
};

beforeAll(async () => {
  kit = await startPreviewKit({ settings: { previews: LIMITS, max_spider_size: '2M' } });
  origin = await startHostileOrigin();
  // Loads the client, so that the first case does not pay for it.
  await kit.preview(kit.serve('/warm', tagged({ 'og:title': 'x' })));
});
afterAll(async () => {
  await origin.close();
  await kit.remove();
});

const encoded = (encoding: 'gzip' | 'br', type = 'text/html'): Misbehaviour =>
  sayAndHold(
    `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Encoding: ${encoding}\r\nContent-Length: ${bombs[encoding].length}\r\n\r\n`,
    bombs[encoding],
  );

const TOO_LARGE = [502, 'M_TOO_LARGE', 'Requested file is too large > 2097152 bytes', 'too_large'];
const TOO_LONG = [502, 'M_TOO_LARGE', 'Requested file took too long to download', 'timeout_body'];
const NO_ANSWER = [504, 'M_UNKNOWN', 'Timeout waiting for response from remote server', 'timeout_headers'];

const CASES: [name: string, behave: Misbehaviour, expected: unknown[]][] = [
  ['never answers', () => {}, NO_ANSWER],
  ['drips its head', drip('HTTP/1.1 200 OK\r\n', 'X-A: b\r\n'), NO_ANSWER],
  ['drips its body', drip(`${OK}Content-Length: 100000\r\n\r\n`, 'x'), TOO_LONG],
  ['sends a body without end', flood(`${OK}\r\n`, 'x'.repeat(65_536)), TOO_LARGE],
  ['sends a gzip bomb', encoded('gzip'), TOO_LARGE],
];

describe('a target that', () => {
  it.each(CASES)(
    '%s: error in time, in little memory, others served, connection let go',
    async (name, behave, expected) => {
      origin.behave = behave;
      const { status, body, headers } = await underAttack(kit, origin.url(`/${encodeURIComponent(name)}`));
      expect([status, body['errcode'], body['error'], headers.get('error-reason')]).toEqual(expected);
      await origin.released();
    },
  );
});

describe('many targets of one host that never answers', () => {
  it('keep no other host waiting', async () => {
    origin.behave = () => {};
    let ended = 0;
    const held = Promise.all(
      Array.from({ length: 12 }, async (_v, n) => {
        const answer = await kit.preview(origin.url(`/held/${n}`));
        ended += 1;
        return answer;
      }),
    );
    const { status } = await kit.preview(kit.serve('/unhindered', tagged({ 'og:title': 'x' })));
    expect([status, ended]).toEqual([200, 0]);
    const statuses = (await held).map((answer) => answer.status);
    expect(statuses.filter((each) => each !== 503 && each !== 504)).toEqual([]);
    await origin.released();
  });
});

describe('a page whose image', () => {
  const onlyBad: [string, Misbehaviour][] = [
    ['never answers', () => {}],
    ['drips', drip('HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 100000\r\n\r\n', 'x')],
    ['has no end', flood('HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n', 'x'.repeat(65_536))],
    ['is a gzip bomb', encoded('gzip', 'image/png')],
    ['is a brotli bomb', encoded('br', 'image/png')],
  ];
  it.each(onlyBad)('%s: 200 without image', async (name, behave) => {
    origin.behave = behave;
    const html = tagged({ 'og:title': 'Page', 'og:image': origin.url('/picture.png') });
    const { status, body } = await underAttack(
      kit,
      kit.serve(`/bad-picture/${encodeURIComponent(name)}`, html),
    );
    expect([status, body]).toEqual([200, { 'og:title': 'Page', 'og:description': null }]);
    await origin.released();
  });
});

describe('an oEmbed answer that', () => {
  const deep = '{"a":['.repeat(300_000);
  const many = `{"version":"1.0","type":"link","title":"Many",${Array.from({ length: 30_000 }, (_v, n) => `"k${n}":1`).join(',')}}`;
  const html = JSON.stringify({ version: '1.0', type: 'rich', title: 'H', html: '<div>'.repeat(150_000) });
  it.each([
    ['is nested without end', deep, 'Page'],
    ['has 30,000 members', many, 'Many'],
    ['carries a hostile html member', html, 'H'],
  ])('%s harms nobody', async (name, text, title) => {
    const href = `/oembed/${encodeURIComponent(name)}`;
    kit.serve(href, page(text, { type: 'application/json' }));
    const link = `<link rel="alternate" type="application/json+oembed" href="${href}">`;
    const url = kit.serve(`/with${href}`, tagged({ 'og:title': 'Page' }).replace('<head>', `<head>${link}`));
    const { status, body } = await underAttack(kit, url);
    expect([status, body['og:title']]).toEqual([200, title]);
  });
});
