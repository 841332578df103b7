import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';

import { SNIFF_BYTES } from './picture/image-type.js';

/** Hashing holds up the event loop; more than this waits for its next turn. */
const PIECE_BYTES = 512 * 1024;

/** A file that has been written completely and flushed, still under its temporary name. */
export interface WrittenFile {
  /** Absolute. */
  path: string;
  sizeBytes: number;
  /** Hex. */
  sha256: string;
  /** The first bytes, enough to tell its type. */
  head: Buffer;
}

/** Takes the bytes of one file as they arrive. Ends with `finish` or `abort`; after `abort` nothing is left. */
export class MediaWriter {
  readonly #hash = createHash('sha256');
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  #sizeBytes = 0;
  #open = true;

  /** `done` is called once, when the file is under its final name or gone. */
  constructor(
    private readonly handle: FileHandle,
    readonly path: string,
    private readonly done: () => void,
  ) {}

  /** Bytes taken so far. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Appends bytes; calls must not overlap. Rejects with the file system's error. */
  async write(bytes: Buffer): Promise<void> {
    for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
      await this.#writePiece(bytes.subarray(start, start + PIECE_BYTES));
    }
  }

  async #writePiece(piece: Buffer): Promise<void> {
    this.#hash.update(piece);
    if (this.#headBytes < SNIFF_BYTES) {
      // A copy, because the caller may use its buffer again.
      const part = Buffer.from(piece.subarray(0, SNIFF_BYTES - this.#headBytes));
      this.#head.push(part);
      this.#headBytes += part.length;
    }
    this.#sizeBytes += piece.length;
    for (let offset = 0; offset < piece.length;) {
      const { bytesWritten } = await this.handle.write(piece, offset);
      offset += bytesWritten;
    }
  }

  /** Flushes and closes the file. */
  async finish(): Promise<WrittenFile> {
    await this.handle.sync();
    await this.close();
    const { path, sizeBytes } = this;
    return { path, sizeBytes, sha256: this.#hash.digest('hex'), head: Buffer.concat(this.#head) };
  }

  /** Removes what has been written, finished or not. Does nothing after `release`. */
  async abort(): Promise<void> {
    try {
      await this.close();
    } finally {
      await rm(this.path, { force: true });
      this.release();
    }
  }

  /** Ends the protection from the sweep that unfinished files have. */
  release(): void {
    this.done();
  }

  /** Closes the file without flushing it; for what can be made again. */
  async close(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    await this.handle.close();
  }
}
