import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import zlib, { type BrotliOptions, type InputType, type ZlibOptions } from 'node:zlib';

import { type Deadline, onAbort } from '../../base/deadline.js';
import { ApiError, errorCode } from '../../base/errors/api-error.js';
import {
  bodyFailed,
  bodyTooLarge,
  dataUrlFailed,
  downloadFailed,
  toDownloadError,
} from './download-errors.js';
import { deadlineError, type ClientResponse } from './http-client.js';

/** Read on end, the ten megabytes of a fast origin take the event loop for twenty milliseconds. */
const READ_PER_TURN_BYTES = 256 * 1024;
/**
 * Bytes that are none of the body, beside a quarter of it: what waits in buffers, and the sizes of chunks. Ten
 * million chunks of one byte each would take the event loop for ten seconds.
 */
const MAX_OVERHEAD_BYTES = 320 * 1024;
interface BodyOptions {
  /** A body of this many bytes, compressed or not, is too large already; SPEC §4.7.5. */
  maxBytes: number;
  deadline: Deadline;
}

/**
 * Reads and decompresses a body. The connection is closed in every case.
 * @throws ApiError 502 `M_TOO_LARGE` (limit or time), 502 for a body that breaks, 500 for an unknown encoding.
 */
export async function readBody(response: ClientResponse, options: BodyOptions): Promise<Buffer> {
  const { deadline, maxBytes } = options;
  const unlink = onAbort(deadline, () => response.destroy(deadlineError(deadline, 'body')));
  try {
    const decoders = decodersOf(response.headers['content-encoding']);
    const statedBytes = statedSize(response);
    if (statedBytes !== null && statedBytes > maxBytes) throw bodyTooLarge(maxBytes);
    const chunks: Buffer[] = [];
    for await (const chunk of paced(response, maxBytes)) chunks.push(chunk);
    return await decoded(Buffer.concat(chunks), decoders, maxBytes);
  } catch (error) {
    throw toDownloadError(error, 'body');
  } finally {
    unlink();
    response.destroy();
  }
}

/** RFC 9112 §6.3: chunks override a stated length. */
function statedSize({ headers }: ClientResponse): number | null {
  const { 'content-length': length, 'transfer-encoding': transfer } = headers;
  return length === undefined || transfer !== undefined ? null : Number(length);
}

/**
 * The body as it comes, with turns for others in between. Fails when it is mostly chunk sizes, or too large before it
 * is decompressed: an endless one may unpack to nothing.
 */
async function* paced(response: ClientResponse, maxBytes: number): AsyncGenerator<Buffer> {
  const startBytes = response.wireBytes();
  let bodyBytes = 0;
  let restedBytes = startBytes;
  for await (const chunk of response.body) {
    bodyBytes += chunk.length;
    if (bodyBytes >= maxBytes) throw bodyTooLarge(maxBytes);
    const readBytes = response.wireBytes();
    const overheadBytes = readBytes - startBytes - bodyBytes;
    if (overheadBytes > MAX_OVERHEAD_BYTES + bodyBytes / 4)
      throw bodyFailed('bad_http', 'chunks are too small');
    yield chunk;
    if (readBytes - restedBytes < READ_PER_TURN_BYTES) continue;
    restedBytes = readBytes;
    await nextTurn();
  }
}

type Decode = (bytes: Buffer, maxBytes: number) => Promise<Buffer>;

/** Registered codings that cannot be undone here. Any other word in the header is no coding: the body is as it is. */
const UNSUPPORTED = /^(?:(?:x-)?compress|zstd|exi|pack200-gzip|aes128gcm|dc[bz])$/;
const TOO_LARGE = 'ERR_BUFFER_TOO_LARGE';
/** Each costs up to the size limit in memory and time. */
const MAX_CODINGS = 4;
/** Each takes 0.1 ms; where there are many they hold 64 kB. */
const MAX_GZIP_MEMBERS = 200;
const INFLATED_AT_ONCE_BYTES = 64 * 1024;
const GZIP_HEAD_BYTES = 10;
const GZIP_TRAILER_BYTES = 8;
const HAS_CHECKSUM = 2;
const HAS_EXTRA = 4;
const HAS_NAME = 8;
const HAS_COMMENT = 16;

const brotliDecompress = promisify<InputType, BrotliOptions, Buffer>(zlib.brotliDecompress);
const inflateRaw = promisify<InputType, ZlibOptions, Buffer>(zlib.inflateRaw);

const DECODERS: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['deflate', inflate],
  ['br', (bytes, maxBytes) => brotliDecompress(bytes, { maxOutputLength: maxBytes })],
]);

/**
 * What undoes the codings of an answer, the last one first.
 * @throws ApiError 500 for a coding that was not asked for, and for too many.
 */
function decodersOf(contentEncoding = ''): Decode[] {
  const names = contentEncoding.split(',').map((name) => name.trim().toLowerCase());
  const decoders = names.flatMap((name) => DECODERS.get(name) ?? []);
  if (names.some((name) => UNSUPPORTED.test(name)) || decoders.length > MAX_CODINGS)
    throw downloadFailed('http_encoding', contentEncoding.slice(0, 200));
  return decoders.toReversed();
}

/**
 * Decompresses a body. An empty one is no error, whatever coding it claims.
 * @throws ApiError 502 when it is corrupt or cut, or `M_TOO_LARGE` when it, or a step on the way, reaches the limit.
 */
async function decoded(body: Buffer, decoders: readonly Decode[], maxBytes: number): Promise<Buffer> {
  let bytes = body;
  try {
    for (const decode of decoders) if (bytes.length > 0) bytes = await decode(bytes, maxBytes);
  } catch (error) {
    if (errorCode(error) === TOO_LARGE) throw bodyTooLarge(maxBytes);
    if (error instanceof ApiError) throw error;
    throw bodyFailed('body_corrupt', error instanceof Error ? error.message : String(error));
  }
  if (bytes.length >= maxBytes) throw bodyTooLarge(maxBytes);
  return bytes;
}

/**
 * As in browsers anything behind the members is ignored, and a trailer may be wrong or missing (RFC 1952).
 * @throws ApiError `M_TOO_LARGE` when they reach the limit together.
 */
async function gunzip(bytes: Buffer, maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let [rest, foundBytes] = [bytes, 0];
  for (let members = 0; members === 0 || isGzip(rest); members += 1) {
    if (members === MAX_GZIP_MEMBERS) throw new Error('too many gzip members');
    const data = rest.subarray(dataStart(rest));
    const inflater = zlib.createInflateRaw({ chunkSize: INFLATED_AT_ONCE_BYTES });
    for await (const piece of inflater.end(data) as AsyncIterable<Buffer>) {
      pieces.push(piece);
      foundBytes += piece.length;
      if (foundBytes >= maxBytes) throw bodyTooLarge(maxBytes);
    }
    rest = data.subarray(inflater.bytesWritten + GZIP_TRAILER_BYTES);
  }
  return Buffer.concat(pieces);
}

const isGzip = (bytes: Buffer): boolean => bytes.toString('latin1', 0, 3) === '\x1f\x8b\b';

/** Where the compressed data of a gzip member begins. */
function dataStart(bytes: Buffer): number {
  if (!isGzip(bytes)) throw new Error('incorrect gzip header');
  const flags = bytes[3] ?? 0;
  let start = GZIP_HEAD_BYTES;
  if ((flags & HAS_EXTRA) !== 0) start += 2 + (bytes[start] ?? 0) + 256 * (bytes[start + 1] ?? 0);
  for (const flag of [HAS_NAME, HAS_COMMENT]) {
    if ((flags & flag) === 0) continue;
    const end = bytes.indexOf(0, start);
    start = end === -1 ? bytes.length : end + 1;
  }
  return (flags & HAS_CHECKSUM) === 0 ? start : start + 2;
}

/** RFC 9110 §8.4.1.2 means zlib's format; some servers send bare deflate. Told apart by zlib's head (RFC 1950 §2.2). */
function inflate(bytes: Buffer, maxOutputLength: number): Promise<Buffer> {
  const [method = 0, flags = 0] = bytes;
  const hasHead = (method & 0x0f) === 8 && (256 * method + flags) % 31 === 0;
  return inflateRaw(hasHead ? bytes.subarray(2) : bytes, { maxOutputLength });
}

const MAX_NAME_LENGTH = 255;

/** Controls, and the invisible characters that reorder text or have no width (Unicode bidi and format marks). */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

/**
 * File name from a Content-Disposition header (RFC 6266): `filename*` if it is UTF-8, else `filename` if it is pure
 * ASCII; SPEC §4.7.5. Only the last path part is kept, without controls and direction marks, at most 255 characters.
 * Null when nothing usable is left.
 */
export function fileNameOf(header = ''): string | null {
  const parameters = parametersOf(header);
  const plain = parameters.get('filename') ?? '';
  const isAscii = Buffer.byteLength(plain) === plain.length;
  const name = extendedName(parameters.get('filename*')) ?? (isAscii ? plain : '');
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  const clean = base.replaceAll(UNSAFE, '').trim();
  return /^\.{0,2}$/.test(clean) ? null : Array.from(clean).slice(0, MAX_NAME_LENGTH).join('');
}

/** `charset'language'percent-encoded` (RFC 8187); the language is of no use here. */
function extendedName(value = ''): string | null {
  const [, encoded] = /^utf-8'[^']*'(.*)$/is.exec(value) ?? [];
  try {
    return encoded === undefined ? null : decodeURIComponent(encoded);
  } catch {
    return null;
  }
}

/** Up to a semicolon outside quotes, where a backslash takes its meaning from the next character. */
const PARAMETER = /(?:"(?:\\[^]|[^"\\])*(?:"|\\?$)|[^;"])+/g;

/** Parameters by lower-case name, the last of equal ones. */
function parametersOf(header: string): Map<string, string> {
  const parameters = (header.match(PARAMETER) ?? []).map((text) => /^([^=]*)=([^]*)$/.exec(text) ?? []);
  return new Map(
    parameters.map(([, name = '', value = '']) => [name.trim().toLowerCase(), unquoted(value.trim())]),
  );
}

function unquoted(value: string): string {
  if (value.length < 2 || !value.startsWith('"') || !value.endsWith('"')) return value;
  return value.slice(1, -1).replaceAll(/\\(["\\])/g, '$1');
}

const MAX_DATA_URL_LENGTH = 2 * 1024 * 1024;
const MAX_TYPE_LENGTH = 1000;
/** RFC 2397 */
const DEFAULT_TYPE = 'text/plain;charset=US-ASCII';
const PERCENT = 0x25;
/** ASCII whitespace of the WHATWG Infra standard. */
const BLANKS = Buffer.from(' \t\n\f\r');

/** True for an address with the scheme `data`, in any case and behind blanks. */
export function isDataUrl(url: string): boolean {
  return url.trimStart().slice(0, 5).toLowerCase() === 'data:';
}

/**
 * Reads a data URL (RFC 2397) in linear time, at most 2 MiB of text.
 * @throws ApiError 500 of SPEC §7 when it is too long, has no comma or is no base64.
 */
export function parseDataUrl(url: string) {
  if (url.length > MAX_DATA_URL_LENGTH) throw dataUrlFailed('too long');
  const text = url.trim().slice(5);
  const comma = text.indexOf(',');
  if (comma === -1) throw dataUrlFailed('no comma');
  const head = text.slice(0, comma).trim();
  if (head.length > MAX_TYPE_LENGTH) throw dataUrlFailed('media type is too long');
  const lastPart = head.slice(head.lastIndexOf(';') + 1);
  const isBase64 = head.includes(';') && lastPart.trim().toLowerCase() === 'base64';
  const bytes = percentDecode(Buffer.from(text.slice(comma + 1), 'utf8'), { dropsBlanks: isBase64 });
  const type = isBase64 ? head.slice(0, head.lastIndexOf(';')).trimEnd() : head;
  return { contentType: type || DEFAULT_TYPE, body: isBase64 ? decodeBase64(bytes) : bytes };
}

/** Of hexadecimal digits by their codes; -1 for all else. */
const DIGITS = Int8Array.from({ length: 256 }, (_, code) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase()),
);

/** In place. Blanks go on the way: with an expression a million of them would take a tenth of a second. */
function percentDecode(bytes: Buffer, { dropsBlanks }: { dropsBlanks: boolean }): Buffer {
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const high = bytes[at] === PERCENT ? (DIGITS[bytes[at + 1] ?? 0] ?? -1) : -1;
    const low = high < 0 ? -1 : (DIGITS[bytes[at + 2] ?? 0] ?? -1);
    const byte = low < 0 ? (bytes[at] ?? 0) : high * 16 + low;
    if (low >= 0) at += 2;
    if (dropsBlanks && byte <= 0x20 && BLANKS.includes(byte)) continue;
    bytes[length] = byte;
    length += 1;
  }
  return bytes.subarray(0, length);
}

/** The forgiving base64 of the WHATWG Infra standard, blanks dropped already: padding is optional. */
function decodeBase64(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1');
  const digits = text.length % 4 === 0 ? text.replace(/={1,2}$/, '') : text;
  if (digits.length % 4 === 1 || !/^[A-Za-z0-9+/]*$/.test(digits)) throw dataUrlFailed('bad base64');
  return Buffer.from(digits, 'base64');
}
