import { pipeline, type Transform } from 'node:stream';
import zlib from 'node:zlib';

import { downloadFailed } from '../download-errors.js';

type Decode = (source: AsyncIterable<Buffer>) => AsyncIterable<Buffer>;

/** Encodings asked for: those that every Node we run on can read, so that all ask alike. */
export const ACCEPT_ENCODING = 'gzip, deflate, br';

/**
 * What undoes the content encoding of an answer. Decoders hand out chunks of at most 16 KiB and wait for the reader,
 * who counts them.
 * @throws ApiError 500 for an encoding that was not asked for, and for two or more at once.
 */
export function decoderOf(contentEncoding: string | undefined): Decode {
  const encoding = (contentEncoding ?? '').trim().toLowerCase();
  const decode = DECODERS.get(encoding);
  if (decode === undefined) throw downloadFailed('http_encoding', encoding.slice(0, 200));
  return decode;
}

/** Sent as a content encoding by misconfigured servers; browsers show such pages as well. */
const MISTAKEN_FOR_ENCODINGS = ['none', 'utf-8', 'utf8', 'iso-8859-1', 'binary', '7bit', '8bit', 'chunked'];

const DECODERS: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ['', (source) => source],
  ['identity', (source) => source],
  ...MISTAKEN_FOR_ENCODINGS.map((name) => [name, (source) => source] satisfies [string, Decode]),
  ['gzip', (source) => through(source, zlib.createGunzip())],
  ['x-gzip', (source) => through(source, zlib.createGunzip())],
  ['deflate', inflateEither],
  ['br', (source) => through(source, zlib.createBrotliDecompress())],
]);

/** An empty body is no error, whatever encoding it claims: nothing was compressed. */
async function* through(source: AsyncIterable<Buffer>, decoder: Transform): AsyncIterable<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done === true) return;
  yield* piped(first.value, chunks, decoder);
}

/** RFC 9110 §8.4.1.2 means zlib's format; some servers send bare deflate, told by the first byte (RFC 1950 §2.2). */
async function* inflateEither(source: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done === true) return;
  const isZlib = ((first.value[0] ?? 0) & 0x0f) === 8;
  yield* piped(first.value, chunks, isZlib ? zlib.createInflate() : zlib.createInflateRaw());
}

function piped(first: Buffer, rest: AsyncIterator<Buffer>, decoder: Transform): AsyncIterable<Buffer> {
  // A failure of either side destroys the decoder, whose reader then sees it.
  pipeline(
    async function* () {
      yield first;
      yield* { [Symbol.asyncIterator]: () => rest };
    },
    decoder,
    () => {},
  );
  return decoder;
}
