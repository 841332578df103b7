import { afterAll, beforeAll, expect, it } from 'vitest';

import { say, startHostileOrigin, type HostileOrigin } from '../../../support/origins/hostile-origin.js';
import { createTestDownloader, outcome } from './download-setup.js';

const downloader = createTestDownloader();
const BODY = '<title>Fine</title>';
const SIZE = BODY.length.toString(16);
const TYPE = 'Content-Type: text/html\r\n';

let origin: HostileOrigin;

beforeAll(async () => {
  origin = await startHostileOrigin();
});
afterAll(() => origin.close());

const head = (...lines: string[]): string => `HTTP/1.1 200 OK\r\n${TYPE}${lines.join('\r\n')}\r\n\r\n`;
const chunked = (body: string): string => head('Transfer-Encoding: chunked') + body;

// As curl and browsers read them.
const READ: [string, string][] = [
  [
    'a folded line',
    head("Content-Security-Policy: default-src 'self';", "   script-src 'self'", '\timg-src *') + BODY,
  ],
  ['a fold as its first line', `HTTP/1.1 200 OK\r\n X-A: b\r\n${TYPE}\r\n${BODY}`],
  ['lines that end with LF', head('X-A: b').replaceAll('\r', '') + BODY],
  [
    'a head of 60 kB',
    head(...Array.from({ length: 40 }, (_, at) => `Set-Cookie: c${at}=${'x'.repeat(1480)}`)) + BODY,
  ],
  ['blanks behind a chunk size', chunked(`${SIZE}  \r\n${BODY}\r\n0 \r\n\r\n`)],
  ['no line break behind a chunk', chunked(`${SIZE}\r\n${BODY}0\r\n\r\n`)],
  ['chunk lines that end with LF', chunked(`${SIZE}\n${BODY}\n0\r\n\r\n`)],
  ['a trailer', chunked(`${SIZE}\r\n${BODY}\r\n0\r\nX-A: b\r\n\r\n`)],
  [
    'a length before chunks',
    head('Content-Length: 24530', 'Transfer-Encoding: chunked') + `${SIZE}\r\n${BODY}\r\n0\r\n\r\n`,
  ],
  [
    'bytes behind the body',
    head(`Content-Length: ${BODY.length}`, 'Connection: close') + `${BODY}\r\n<!-- more -->`,
  ],
  ['a control in a value', head('X-A: b\u0001c', `ETag: "a\u0000b"`) + BODY],
  ['empty lines before it', `\r\n\r\n${head('X-A: b')}${BODY}`],
];

it.each(READ)('an answer with %s is read', async (_what, bytes) => {
  origin.behave = say(Buffer.from(bytes, 'latin1'));

  const read = await outcome(downloader, { url: origin.url() });

  expect(read).toMatchObject({ status: 200, contentType: 'text/html', body: Buffer.from(BODY) });
});

it('controls in values are kept nowhere', async () => {
  origin.behave = say(Buffer.from(head('ETag: "a\u0000b\u0001"', 'Content-Type: text/x') + BODY, 'latin1'));

  expect(await outcome(downloader, { url: origin.url() })).toMatchObject({ etag: '"ab"' });
});

it.each([
  ['a head of 70 kB', head(`X-A: ${'x'.repeat(70_000)}`) + BODY],
  ['a line without a colon', head('garbage') + BODY],
  // Curl and browsers read it; no parser that Node has does.
  ['the same length twice', head(`Content-Length: ${BODY.length}`, `Content-Length: ${BODY.length}`) + BODY],
  ['two different lengths', head('Content-Length: 19', 'Content-Length: 18') + BODY],
  ['no HTTP', `SSH-2.0-OpenSSH_9.6\r\n${BODY}`],
])('an answer with %s is refused', async (_what, bytes) => {
  origin.behave = say(bytes);

  expect(await outcome(downloader, { url: origin.url() })).toMatchObject({ status: 500, reason: 'bad_http' });
});

it('a body that ends before its stated length is cut, however lenient the parser', async () => {
  origin.behave = say(head('Content-Length: 500') + BODY);

  expect(await outcome(downloader, { url: origin.url() })).toMatchObject({ status: 502, reason: 'body_cut' });
});
