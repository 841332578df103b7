import { abortable } from '../../base/deadline.js';
import { addCount } from '../../base/places/add-count.js';
import type { Asker } from '../../base/places/asker.js';

/**
 * Bounds the bytes of downloaded bodies that wait to be stored and read. Downloads finish faster than pages are
 * read, so without it a crowd of large pages would pile up in memory. Up to the double amount those may go on of whom
 * nothing is held: one user's pages do not stop the others.
 */
export class BodyBudget {
  #heldBytes = 0;
  /** Bytes held by asker. */
  readonly #askers = new Map<string, number>();
  readonly #waiting = new Set<() => void>();

  constructor(
    private readonly maxBytes: number,
    /** Told of each download that has to wait. */
    private readonly onBound: () => void = () => {},
  ) {}

  /** Bytes held now. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /**
   * Waits until a further download of the asker, or of who joins him, may begin, and resolves to the key of whoever has
   * room: his it counts as. Rejects with the signal's reason when that takes too long.
   */
  async room({ key, eachOther }: Asker, signal: AbortSignal): Promise<string> {
    const keys = [key];
    const unlink = eachOther?.((other) => {
      keys.push(other.key);
      this.#wake();
    });
    try {
      return await this.#roomForAny(keys, signal);
    } finally {
      unlink?.();
    }
  }

  /** Counts a body; the function returned is called once it is no longer held. */
  hold(asker: string, bytes: number): () => void {
    this.#add(asker, bytes);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#add(asker, -bytes);
      this.#wake();
    };
  }

  async #roomForAny(askers: readonly string[], signal: AbortSignal): Promise<string> {
    const find = (): string | undefined => askers.find((asker) => this.#hasRoom(asker));
    let whose = find();
    if (whose === undefined) this.onBound();
    while (whose === undefined) {
      await abortable<void>(signal, (resolve, reject) => {
        this.#waiting.add(resolve);
        return () => {
          this.#waiting.delete(resolve);
          reject(signal.reason);
        };
      });
      whose = find();
    }
    return whose;
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  #hasRoom(asker: string): boolean {
    const limit = this.#askers.has(asker) ? this.maxBytes : 2 * this.maxBytes;
    return this.#heldBytes <= limit;
  }

  #add(asker: string, bytes: number): void {
    this.#heldBytes += bytes;
    addCount(this.#askers, asker, bytes);
  }
}
