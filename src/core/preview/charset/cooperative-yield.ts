import { setImmediate as nextTurn } from 'node:timers/promises';

/** Bytes or characters of untrusted text handled before the event loop gets its turn; a few milliseconds of work. */
const WORK_PER_TURN = 16_384;

/**
 * Splits long work on untrusted text: `after(size)` gives the event loop a turn whenever enough has been
 * handled, and rejects with the signal's reason once it is aborted. Short work never waits.
 */
export class CooperativeYield {
  private done = 0;

  constructor(private readonly signal?: AbortSignal) {}

  async after(size: number): Promise<void> {
    this.done += size;
    if (this.done < WORK_PER_TURN) return;
    this.done = 0;
    await nextTurn();
    this.signal?.throwIfAborted();
  }
}
