import { abortable } from '../../base/deadline.js';

/**
 * Bounds the bytes of downloaded bodies that wait to be stored and read. Downloads finish faster than pages are
 * read, so without it a crowd of large pages would pile up in memory.
 */
export class BodyBudget {
  #heldBytes = 0;
  readonly #waiting = new Set<() => void>();

  constructor(private readonly maxBytes: number) {}

  /** Waits until a further download may begin; rejects with the signal's reason when that takes too long. */
  async room(signal: AbortSignal): Promise<void> {
    while (this.#heldBytes > this.maxBytes) {
      await abortable<void>(signal, (resolve, reject) => {
        this.#waiting.add(resolve);
        return () => {
          this.#waiting.delete(resolve);
          reject(signal.reason);
        };
      });
    }
  }

  /** Counts a body; the function returned is called once it is no longer held. */
  hold(bytes: number): () => void {
    this.#heldBytes += bytes;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#heldBytes -= bytes;
      if (this.#heldBytes > this.maxBytes) return;
      const waiting = [...this.#waiting];
      this.#waiting.clear();
      for (const wake of waiting) wake();
    };
  }
}
