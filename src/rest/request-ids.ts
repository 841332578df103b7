import { randomBytes } from 'node:crypto';

const PREFIX_BYTES = 6;
const RADIX = 36;

/**
 * Ids for requests: a random prefix for each run of the server and a running number. Unique, short and cheap;
 * not secret.
 */
export class RequestIds {
  readonly #prefix = `${randomBytes(PREFIX_BYTES).toString('base64url')}-`;
  #last = 0;

  /** A new id. */
  next(): string {
    this.#last += 1;
    return this.#prefix + this.#last.toString(RADIX);
  }
}
