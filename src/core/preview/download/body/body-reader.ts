import { setImmediate as nextTurn } from 'node:timers/promises';

import { onAbort, type Deadline } from '../../../base/deadline.js';
import { decoded, decodersOf } from './content-coding.js';
import { bodyFailed, bodyTooLarge, toDownloadError } from '../download-errors.js';
import { deadlineError, type ClientResponse } from '../http-client.js';

/** Read on end, the ten megabytes of a fast origin take the event loop for twenty milliseconds. */
const READ_PER_TURN_BYTES = 256 * 1024;
/**
 * Bytes that are none of the body, beside a quarter of it: what waits in buffers, and the sizes of chunks. Ten
 * million chunks of one byte each would take the event loop for ten seconds.
 */
const MAX_OVERHEAD_BYTES = 320 * 1024;
/** How a body is read. */
export interface BodyOptions {
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
  const unlink = onAbort(deadline.signal, () => response.destroy(deadlineError(deadline, 'body')));
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
