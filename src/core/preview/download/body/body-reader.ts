import { setImmediate as nextTurn } from 'node:timers/promises';

import { onAbort, type Deadline } from '../../../base/deadline.js';
import { decoded, decodersOf } from './content-coding.js';
import { bodyFailed, bodyTooLarge } from '../download-errors.js';
import { toDownloadError } from '../download-error-mapping.js';
import { deadlineError, type ClientResponse } from '../http-client.js';

const COPIED_PER_TURN_BYTES = 1024 * 1024;
/** Read on end, the ten megabytes of a fast origin take the event loop for twenty milliseconds. */
const READ_PER_TURN_BYTES = 256 * 1024;
/**
 * Bytes that are none of the body, beside a quarter of it: what waits in buffers, and the sizes of chunks. Ten
 * million chunks of one byte each would take the event loop for ten seconds.
 */
const MAX_OVERHEAD_BYTES = 320 * 1024;
/** Allocated for a body that has only stated its size; the rest when as much has come. */
const TRUSTED_BYTES = 1024 * 1024;
const EMPTY = Buffer.alloc(0);

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
    const collector = statedBytes === null ? new ChunkList() : new StatedSizeBuffer(statedBytes);
    for await (const chunk of paced(response, maxBytes)) collector.add(chunk);
    return await decoded(await collector.body(), decoders, maxBytes);
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

/** Where the chunks of a body go as they come. */
interface BodyCollector {
  add(chunk: Buffer): void;
  body(): Promise<Buffer>;
}

/** For a body that states its size: its bytes go to their offsets at once, and the chunks they came in are free. */
class StatedSizeBuffer implements BodyCollector {
  #bytes: Buffer;
  #filledBytes = 0;

  constructor(private readonly statedBytes: number) {
    this.#bytes = Buffer.allocUnsafeSlow(Math.min(statedBytes, TRUSTED_BYTES));
  }

  add(chunk: Buffer): void {
    const neededBytes = this.#filledBytes + chunk.length;
    if (neededBytes > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(neededBytes, this.statedBytes));
      this.#bytes.copy(larger, 0, 0, this.#filledBytes);
      this.#bytes = larger;
    }
    this.#filledBytes += chunk.copy(this.#bytes, this.#filledBytes);
  }

  async body(): Promise<Buffer> {
    const sizeBytes = this.#filledBytes;
    return sizeBytes === this.#bytes.length ? this.#bytes : Buffer.from(this.#bytes.subarray(0, sizeBytes));
  }
}

/** For a body of unknown size. */
class ChunkList implements BodyCollector {
  readonly #chunks: Buffer[] = [];
  #sizeBytes = 0;

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#sizeBytes += chunk.length;
  }

  /** Copying megabytes holds up the event loop, so others get their turn in between. Each chunk is freed once copied. */
  async body(): Promise<Buffer> {
    const body = Buffer.allocUnsafeSlow(this.#sizeBytes);
    let copied = 0;
    for (const [index, chunk] of this.#chunks.entries()) {
      const before = Math.floor(copied / COPIED_PER_TURN_BYTES);
      copied += chunk.copy(body, copied);
      this.#chunks[index] = EMPTY;
      if (Math.floor(copied / COPIED_PER_TURN_BYTES) > before) await nextTurn();
    }
    return body;
  }
}
