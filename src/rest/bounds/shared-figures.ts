import { setTimeout as delay } from 'node:timers/promises';

/** Pauses are so many times as long as what they follow: collecting takes a tenth of the time at most. */
const PAUSE_FACTOR = 9;
/** What takes long mostly waits for others. */
const LONGEST_PAUSE_MS = 1000;

/**
 * Figures that cost something to collect, for whoever asks: once at a time, with a pause after it, and all who ask
 * meanwhile share the next collection. What one gets was collected after it asked.
 */
export class SharedFigures {
  #last: Promise<unknown> = Promise.resolve();
  #next: Promise<string> | null = null;
  #pauseUntilMs = 0;

  constructor(private readonly collect: () => Promise<string>) {}

  /** Rejects when they cannot be collected. */
  read(): Promise<string> {
    if (this.#next === null) {
      this.#next = this.#collectNext();
      this.#last = this.#next.catch(() => undefined);
    }
    return this.#next;
  }

  async #collectNext(): Promise<string> {
    await this.#last;
    const pauseMs = this.#pauseUntilMs - performance.now();
    if (pauseMs > 0) await delay(pauseMs);
    const startMs = performance.now();
    this.#next = null;
    try {
      return await this.collect();
    } finally {
      const endMs = performance.now();
      this.#pauseUntilMs = endMs + Math.min(LONGEST_PAUSE_MS, PAUSE_FACTOR * (endMs - startMs));
    }
  }
}
