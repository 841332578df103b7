import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import type { Deadline } from '../deadline.js';
import { onAbort } from '../deadline.js';
import { decoderOf } from './content-decoder.js';
import { bodyTooLarge } from './errors.js';
import { toDownloadError } from './failure-mapping.js';
import type { ClientResponse } from './http-client.js';
import { deadlineError } from './http-client.js';

/** How a body is read. */
export interface BodyOptions {
  /** A body of this many bytes, decompressed, is too large already; §4.7.5. */
  maxBytes: number;
  deadline: Deadline;
  /** Where the body goes; it is ended, or destroyed on failure. Null keeps it in memory. */
  sink: Writable | null;
}

/** A body that was read to its end; `body` is empty when it went to a sink. */
export interface ReadBody {
  body: Buffer;
  sizeBytes: number;
}

/**
 * Reads, decompresses and counts a body. The connection is closed in every case.
 * @throws ApiError 502 `M_TOO_LARGE` (limit or time), 502 for a body that breaks, 500 for an unknown encoding; and
 * whatever the sink fails with, unchanged.
 */
export async function readBody(response: ClientResponse, options: BodyOptions): Promise<ReadBody> {
  const { deadline, maxBytes, sink } = options;
  const unlink = onAbort(deadline.signal, () => response.destroy(deadlineError(deadline, 'body')));
  try {
    const decode = decoderOf(response.headers['content-encoding']);
    if (Number(response.headers['content-length'] ?? 0) > maxBytes) throw bodyTooLarge(maxBytes);
    const counter = { sizeBytes: 0 };
    const chunks = limited(decode(response.body), maxBytes, counter);
    const body = sink === null ? await collected(chunks) : await sent(chunks, sink);
    return { body, sizeBytes: counter.sizeBytes };
  } finally {
    unlink();
    response.destroy();
  }
}

async function* limited(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
  counter: { sizeBytes: number },
): AsyncIterable<Buffer> {
  try {
    for await (const chunk of chunks) {
      counter.sizeBytes += chunk.length;
      if (counter.sizeBytes >= maxBytes) throw bodyTooLarge(maxBytes);
      yield chunk;
    }
  } catch (error) {
    // Here, and not further out: what the sink fails with is no failure of the other side.
    throw toDownloadError(error, 'body');
  }
}

async function collected(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const kept: Buffer[] = [];
  for await (const chunk of chunks) kept.push(chunk);
  return Buffer.concat(kept);
}

async function sent(chunks: AsyncIterable<Buffer>, sink: Writable): Promise<Buffer> {
  await pipeline(chunks, sink);
  return Buffer.alloc(0);
}
