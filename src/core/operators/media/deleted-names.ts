import { createHash, type Hash } from 'node:crypto';

/** What was deleted, as audit keeps it. */
export interface DeletedDetail {
  /** How many. */
  deleted: number;
  /** Addresses, ids or keys of the first hundred. Untrusted text. */
  first: readonly string[];
  /** Of all of them, each with a line feed behind it; `null` when `first` has them all. */
  sha256: string | null;
}

const KEPT = 100;
const MAX_CHARACTERS = 500;

/** Collects names of what is deleted: the first ones as they are, of the others their number and a digest. */
export class DeletedNames {
  readonly #first: string[] = [];
  readonly #hash: Hash = createHash('sha256');
  #count = 0;

  add(name: string): void {
    this.#count += 1;
    this.#hash.update(`${name}\n`);
    if (this.#first.length < KEPT) this.#first.push(name.slice(0, MAX_CHARACTERS));
  }

  /** What has been added so far. */
  get detail(): DeletedDetail {
    const sha256 = this.#count > KEPT ? this.#hash.copy().digest('hex') : null;
    return { deleted: this.#count, first: [...this.#first], sha256 };
  }
}
