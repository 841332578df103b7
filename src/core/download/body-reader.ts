import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Deadline } from '../deadline.js';
import { onAbort } from '../deadline.js';
import { decoderOf } from './content-decoder.js';
import { bodyTooLarge } from './errors.js';
import { toDownloadError } from './failure-mapping.js';
import type { ClientResponse } from './http-client.js';
import { deadlineError } from './http-client.js';

const COPIED_PER_TURN_BYTES = 1024 * 1024;
const EMPTY = Buffer.alloc(0);

/** How a body is read. */
export interface BodyOptions {
  /** A body of this many bytes, decompressed, is too large already; §4.7.5. */
  maxBytes: number;
  deadline: Deadline;
}

/** A body that was read to its end. */
export interface ReadBody {
  body: Buffer;
  sizeBytes: number;
}

/**
 * Reads, decompresses and counts a body. The connection is closed in every case.
 * @throws ApiError 502 `M_TOO_LARGE` (limit or time), 502 for a body that breaks, 500 for an unknown encoding.
 */
export async function readBody(response: ClientResponse, options: BodyOptions): Promise<ReadBody> {
  const { deadline, maxBytes } = options;
  const unlink = onAbort(deadline.signal, () => response.destroy(deadlineError(deadline, 'body')));
  try {
    const decode = decoderOf(response.headers['content-encoding']);
    if (Number(response.headers['content-length'] ?? 0) > maxBytes) throw bodyTooLarge(maxBytes);
    return await collected(decode(response.body), maxBytes);
  } catch (error) {
    throw toDownloadError(error, 'body');
  } finally {
    unlink();
    response.destroy();
  }
}

async function collected(chunks: AsyncIterable<Buffer>, maxBytes: number): Promise<ReadBody> {
  const kept: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of chunks) {
    sizeBytes += chunk.length;
    if (sizeBytes >= maxBytes) throw bodyTooLarge(maxBytes);
    kept.push(chunk);
  }
  return { body: await joined(kept, sizeBytes), sizeBytes };
}

/** Copying megabytes holds up the event loop, so it gets its turn in between. Each piece is freed once copied. */
async function joined(pieces: Buffer[], sizeBytes: number): Promise<Buffer> {
  const body = Buffer.allocUnsafe(sizeBytes);
  let copied = 0;
  for (const [index, piece] of pieces.entries()) {
    const before = Math.floor(copied / COPIED_PER_TURN_BYTES);
    copied += piece.copy(body, copied);
    pieces[index] = EMPTY;
    if (Math.floor(copied / COPIED_PER_TURN_BYTES) > before) await nextTurn();
  }
  return body;
}
