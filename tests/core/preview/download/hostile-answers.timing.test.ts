import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import zlib from 'node:zlib';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { parseConfig } from '../../../../src/config/parse-config.js';
import type { Downloader } from '../../../../src/core/preview/download/downloader.js';
import {
  drip,
  flood,
  say,
  sayAndHold,
  startHostileOrigin,
  type HostileOrigin,
  type Misbehaviour,
} from '../../../support/origins/hostile-origin.js';
import { page, startRemoteSite, type RemoteSite } from '../../../support/origins/remote-site.js';
import { createTestDownloader, outcome } from './download-setup.js';

const MAX_BYTES = 1_000_000;
const MEGABYTE = 1024 * 1024;
/** For those who have to be waited for; all others are seen through at once, with the time of the defaults left. */
const LIMITS = { connectTimeoutMs: 400, responseTimeoutMs: 300, fetchTimeoutMs: 600, maxBytes: MAX_BYTES };
const parsed = parseConfig({ server_name: 'a.example' });
if (!parsed.ok) throw new Error('the defaults are refused');
const { previews } = parsed.config;
const DEFAULTS = {
  connectTimeoutMs: 5000,
  responseTimeoutMs: 15_000,
  fetchTimeoutMs: previews.fetch_timeout,
  maxBytes: MAX_BYTES,
};

const OK = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n';
const VIDEO = 'HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n';
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;

const TOO_LARGE = {
  status: 502,
  errcode: 'M_TOO_LARGE',
  message: `Requested file is too large > ${MAX_BYTES} bytes`,
};
const TOO_LONG = {
  status: 502,
  errcode: 'M_TOO_LARGE',
  message: 'Requested file took too long to download',
  reason: 'timeout_body',
};
const NO_ANSWER = {
  status: 504,
  errcode: 'M_UNKNOWN',
  message: 'Timeout waiting for response from remote server',
  reason: 'timeout_headers',
};
const CLOSED = {
  status: 500,
  message: 'Failed to download content: connection closed',
  reason: 'connection_reset',
};
const PROTOCOL = { status: 500, message: 'Failed to download content: protocol error', reason: 'bad_http' };
const CUT = {
  status: 502,
  errcode: 'M_UNKNOWN',
  message: 'Failed to download remote body: connection closed inside the body',
  reason: 'body_cut',
};
const BODY_PROTOCOL = {
  status: 502,
  message: 'Failed to download remote body: protocol error',
  reason: 'bad_http',
};
const REFUSED = { status: 502, message: 'Got error 404' };
const TYPE = { status: 502, reason: 'content_type' };
const ENCODING = { status: 500, message: 'Failed to download content: unsupported content encoding' };
const UNPACKED = { status: 502, message: 'Failed to download remote body: body cannot be decompressed' };

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const held = ({ heapUsed, external }: NodeJS.MemoryUsage): number => heapUsed + external;

let origin: HostileOrigin;
let site: RemoteSite;
let downloader: Downloader;

const encoded = (encoding: string, body: Buffer): Misbehaviour =>
  sayAndHold(`${OK}Content-Encoding: ${encoding}\r\nContent-Length: ${body.length}\r\n\r\n`, body);

/** The text `page` as a whole zstd frame (RFC 8878). */
const ZSTD_PAGE = Buffer.from('28b52ffd200421000070616765', 'hex');
const zeros = Buffer.alloc(200 * MEGABYTE);
const bombs = {
  gzip: zlib.gzipSync(zeros),
  deflate: zlib.deflateSync(zeros, { level: 9 }),
  br: zlib.brotliCompressSync(zeros, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } }),
};

beforeAll(async () => {
  site = await startRemoteSite();
  site.pages.set('/fine', page('fine'));
  // Loads the client, so that the first case does not pay for it.
  await outcome(createTestDownloader(), { url: site.url('/fine') });
});
afterAll(() => site.close());
// One of its own for each case: a connection that stays would else fail all the cases behind.
beforeEach(async () => {
  origin = await startHostileOrigin();
  downloader = createTestDownloader(LIMITS);
});
afterEach(() => origin.close());

const CASES: [name: string, behave: Misbehaviour, expected: object][] = [
  // Row 22: never, slowly, or only half.
  ['never answers', () => {}, NO_ANSWER],
  ['drips its head', drip('HTTP/1.1 200 OK\r\n', 'X-A: b\r\n'), NO_ANSWER],
  ['drips its body', drip(`${OK}Content-Length: 100000\r\n\r\n`, 'x'), TOO_LONG],
  ['stalls inside its body', sayAndHold(`${OK}Content-Length: 100\r\n\r\nhalf`), TOO_LONG],
  // Row 23: endless heads and trailers.
  ['sends 100 for ever', flood('', 'HTTP/1.1 100 Continue\r\n\r\n'), PROTOCOL],
  ['drips trailers', drip(`${CHUNKED}1\r\nx\r\n0\r\n`, 'X-A: b\r\n', 20), TOO_LONG],
  ['floods trailers', flood(`${CHUNKED}1\r\nx\r\n0\r\n`, 'X-A: b\r\n'), BODY_PROTOCOL],
  // Row 24: endless bodies.
  ['sends a body without end', flood(`${OK}\r\n`, 'x'.repeat(65_536)), TOO_LARGE],
  ['sends chunks without end', flood(CHUNKED, `10000\r\n${'x'.repeat(65_536)}\r\n`), TOO_LARGE],
  ['announces a terabyte', sayAndHold(`${OK}Content-Length: 1099511627776\r\n\r\n`), TOO_LARGE],
  ['sends chunks of one byte without end', flood(CHUNKED, '1\r\nx\r\n'.repeat(10_000)), BODY_PROTOCOL],
  // Row 24: whole answers that are not read, over connections that the origin keeps open.
  ['refuses and stays', sayAndHold(`HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno`), REFUSED],
  ['sends a video and stays', sayAndHold(`${VIDEO}Content-Length: 2\r\n\r\nno`), TYPE],
  // Row 25: short bodies.
  ['sends less than announced', say(`${OK}Content-Length: 100\r\n\r\nhalf`), CUT],
  [
    'resets inside its body',
    (socket) => void socket.write(`${OK}Content-Length: 100\r\n\r\nhalf`, () => socket.resetAndDestroy()),
    CUT,
  ],
  // Row 26: lengths that contradict each other.
  ['sends two lengths', say(`${OK}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`), PROTOCOL],
  ['sends a chunk size that is not a number', say(`${CHUNKED}zz\r\n`), BODY_PROTOCOL],
  ['floods a chunk extension', flood(`${CHUNKED}1;`, 'x'.repeat(1000)), BODY_PROTOCOL],
  // Row 27: floods of headers.
  ['sends headers without end', flood('HTTP/1.1 200 OK\r\n', `X-A: ${'b'.repeat(100)}\r\n`), PROTOCOL],
  ['sends one header without end', flood('HTTP/1.1 200 OK\r\nX-A: ', 'b'.repeat(10_000)), PROTOCOL],
  // Row 28: bombs.
  ['sends a gzip bomb', encoded('gzip', bombs.gzip), TOO_LARGE],
  [
    'sends gzip of nothing without end',
    flood(`${OK}Content-Encoding: gzip\r\n\r\n`, zlib.gzipSync('').toString('latin1'), 'latin1'),
    TOO_LARGE,
  ],
  // Row 29: chains and lies.
  ['sends zstd, which nobody asked for', encoded('zstd', ZSTD_PAGE), ENCODING],
  ['claims gzip for plain text', say(`${OK}Content-Encoding: gzip\r\n\r\n<p>x`), UNPACKED],
  // Row 37: other protocols.
  [
    'switches protocols',
    say('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
    PROTOCOL,
  ],
  ['speaks SSH', say('SSH-2.0-OpenSSH_9.2\r\n'), PROTOCOL],
  ['closes without an answer', (socket) => socket.end(), CLOSED],
  ['resets without an answer', (socket) => socket.resetAndDestroy(), CLOSED],
];

describe('an origin that', () => {
  it.each(CASES)('%s ends in time, in little memory, and is let go', async (_name, behave, expected) => {
    const isWaitedFor = expected === NO_ANSWER || expected === TOO_LONG;
    if (!isWaitedFor) downloader = createTestDownloader(DEFAULTS);
    origin.behave = behave;
    collect();
    const before = process.memoryUsage();
    const started = performance.now();

    expect(await outcome(downloader, { url: origin.url('/') })).toMatchObject(expected);

    expect(performance.now() - started).toBeLessThan(2000);
    await origin.released();
    // Garbage included, of which V8 leaves four times as much on Node 26 as on Node 20.
    expect(process.memoryUsage().rss - before.rss).toBeLessThan(100 * MEGABYTE);
    collect();
    expect(held(process.memoryUsage()) - held(before)).toBeLessThan(10 * MEGABYTE);
    expect(await outcome(downloader, { url: site.url('/fine') })).toMatchObject({ sizeBytes: 4 });
  });

  it('puts a line break into a Location gets no header of its own into the next request', async () => {
    const where = `http://127.0.0.1:${site.port}/fine?%0D%0AX-Bad:%20a\tb`;
    origin.behave = say(`HTTP/1.1 302 Found\r\nLocation: ${where}\r\nContent-Length: 0\r\n\r\n`);

    await outcome(downloader, { url: origin.url('/') });

    expect(site.hits.at(-1)?.path).toBe('/fine?%0D%0AX-Bad:%20ab');
    expect(site.hits.at(-1)?.headers['x-bad']).toBeUndefined();
  });
});
