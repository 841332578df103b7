import { promisify } from 'node:util';
import zlib, { type BrotliOptions, type InputType, type ZlibOptions } from 'node:zlib';

import { bodyFailed, bodyTooLarge, downloadFailed } from './download-errors.js';

const MAX_NAME_LENGTH = 255;

/** Controls, and the invisible characters that reorder text or have no width (Unicode bidi and format marks). */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

/**
 * File name from a Content-Disposition header (RFC 6266): `filename*` if it is UTF-8, else `filename` if it is pure
 * ASCII; SPEC §4.7.5. Only the last path part is kept, without controls and direction marks, at most 255 characters.
 * Null when nothing usable is left.
 */
export function fileNameOf(header: string | undefined): string | null {
  if (header === undefined) return null;
  const parameters = parametersOf(header);
  return safeName(extendedName(parameters.get('filename*')) ?? plainName(parameters.get('filename')));
}

/** `charset'language'percent-encoded` (RFC 8187); the language is of no use here. */
const EXTENDED = /^utf-8'[^']*'(.*)$/is;

function extendedName(value = ''): string | null {
  const [, encoded] = EXTENDED.exec(value) ?? [];
  if (encoded === undefined) return null;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return null;
  }
}

function plainName(value: string | undefined): string | null {
  if (value === undefined) return null;
  return Buffer.byteLength(value, 'utf8') === value.length ? value : null;
}

function safeName(name: string | null): string | null {
  if (name === null) return null;
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  const clean = base.replaceAll(UNSAFE, '').trim();
  if (clean === '' || clean === '.' || clean === '..') return null;
  return Array.from(clean).slice(0, MAX_NAME_LENGTH).join('');
}

/** Parameters by lower-case name, the last of equal ones; one pass, quotes and backslashes respected. */
function parametersOf(header: string): Map<string, string> {
  const parameters = new Map<string, string>();
  let start = 0;
  let quoted = false;
  for (let at = 0; at <= header.length; at += 1) {
    const character = header[at];
    if (character === '\\' && quoted) at += 1;
    else if (character === '"') quoted = !quoted;
    if (at >= header.length || (character === ';' && !quoted)) {
      addParameter(parameters, header.slice(start, at));
      start = at + 1;
    }
  }
  return parameters;
}

function addParameter(parameters: Map<string, string>, text: string): void {
  const equals = text.indexOf('=');
  if (equals === -1) return;
  parameters.set(text.slice(0, equals).trim().toLowerCase(), unquoted(text.slice(equals + 1).trim()));
}

function unquoted(value: string): string {
  if (value.length < 2 || !value.startsWith('"') || !value.endsWith('"')) return value;
  return value.slice(1, -1).replaceAll(/\\(["\\])/g, '$1');
}

/** Codings that are asked for: those that every supported version of Node can undo. */
export const ACCEPT_ENCODING = 'gzip, deflate, br';

type Decode = (bytes: Buffer, maxBytes: number) => Promise<Buffer>;

/** Registered codings that cannot be undone here. Any other word in the header is no coding: the body is as it is. */
const UNSUPPORTED: ReadonlySet<string> = new Set([
  'compress',
  'x-compress',
  'zstd',
  'exi',
  'pack200-gzip',
  'aes128gcm',
  'dcb',
  'dcz',
]);
/** Each costs up to the size limit in memory and time. */
const MAX_CODINGS = 4;
const GZIP_HEAD_BYTES = 10;
const GZIP_TRAILER_BYTES = 8;
/** Each costs a call, and 20 bytes are one. */
const MAX_GZIP_MEMBERS = 100;
const HAS_CHECKSUM = 2;
const HAS_EXTRA = 4;
const HAS_NAME = 8;
const HAS_COMMENT = 16;

const brotliDecompress = promisify<InputType, BrotliOptions, Buffer>(zlib.brotliDecompress);
const inflateRaw = promisify<InputType, ZlibOptions, Buffer>(zlib.inflateRaw);
/** With `info` it resolves to this instead of the bytes alone. */
interface Inflated {
  buffer: unknown;
  engine?: { bytesWritten: number };
}
const inflateMember = promisify<InputType, ZlibOptions, Inflated>(zlib.inflateRaw);

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
export function decodersOf(contentEncoding = ''): Decode[] {
  const names = contentEncoding.split(',').map((name) => name.trim().toLowerCase());
  const decoders = names.flatMap((name) => DECODERS.get(name) ?? []);
  if (names.some((name) => UNSUPPORTED.has(name)) || decoders.length > MAX_CODINGS)
    throw downloadFailed('http_encoding', contentEncoding.slice(0, 200));
  return decoders.toReversed();
}

/**
 * Decompresses a body. An empty one is no error, whatever coding it claims.
 * @throws ApiError 502 when it is corrupt or cut, or `M_TOO_LARGE` when it, or a step on the way, reaches the limit.
 */
export async function decoded(body: Buffer, decoders: readonly Decode[], maxBytes: number): Promise<Buffer> {
  let bytes = body;
  try {
    for (const decode of decoders) if (bytes.length > 0) bytes = await decode(bytes, maxBytes);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE')
      throw bodyTooLarge(maxBytes);
    throw bodyFailed('body_corrupt', error instanceof Error ? error.message : String(error));
  }
  if (bytes.length >= maxBytes) throw bodyTooLarge(maxBytes);
  return bytes;
}

/**
 * The members of a gzip file (RFC 1952). As in browsers trailers are not looked at and the last may be missing, and
 * anything else behind them is ignored.
 */
async function gunzip(bytes: Buffer, maxBytes: number): Promise<Buffer> {
  const members: Buffer[] = [];
  let size = 0;
  let rest = bytes;
  do {
    const data = rest.subarray(dataStart(rest));
    const maxOutputLength = Math.max(1, maxBytes - size);
    const { buffer, engine } = await inflateMember(data, { maxOutputLength, info: true });
    if (!Buffer.isBuffer(buffer) || engine === undefined) throw new Error('zlib tells no length');
    size += buffer.length;
    members.push(buffer);
    rest = data.subarray(engine.bytesWritten + GZIP_TRAILER_BYTES);
  } while (isGzip(rest) && members.length < MAX_GZIP_MEMBERS);
  return Buffer.concat(members);
}

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8;
}

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
