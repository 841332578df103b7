import { randomFillSync } from 'node:crypto';

const ID_BYTES = 9;
const IDS_AT_ONCE = 512;

/**
 * Random ids for requests, 12 characters each. Randomness is fetched for many at once, if it may be: an id takes
 * 0.07 µs of processor time instead of 2.4, 8 % of an answer from memory.
 */
export class RequestIds {
  readonly #bytes: Buffer;
  #at: number;

  constructor(inBatches: boolean) {
    this.#bytes = Buffer.alloc(ID_BYTES * (inBatches ? IDS_AT_ONCE : 1));
    this.#at = this.#bytes.length;
  }

  /** A new id. */
  next(): string {
    if (this.#at === this.#bytes.length) {
      randomFillSync(this.#bytes);
      this.#at = 0;
    }
    const start = this.#at;
    this.#at += ID_BYTES;
    return this.#bytes.toString('base64url', start, this.#at);
  }
}
