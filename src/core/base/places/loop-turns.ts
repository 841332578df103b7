import { Turns } from './turns.js';

/** Whose work it is, and how many bytes of theirs it is about. */
export interface LoopWork {
  by: string;
  bytes: number;
}

/** More than any honest handshake has, and than nearly all key records. */
const BYTES_PER_TURN = 12 * 1024;
/** Pauses are so many times as long as the large work before them: that takes a quarter of the time at most. */
const PAUSE_FACTOR = 3;
/** What takes long mostly waits for a busy machine. */
const LONGEST_PAUSE_MS = 500;

/**
 * Work for the event loop whose cost others decide with what they send, up to a tenth of a second for 32 KiB. Whoever
 * sends it can have a hundred of them ready at the same moment, and the event loop would do all of them in one turn.
 * Here it does so many bytes in a turn, and the rest in the next ones, by turns of whose they are; of what is larger
 * than that by itself one at a time, and it is followed by a pause.
 */
export class LoopTurns {
  readonly #small = new Turns<Waiting>();
  readonly #large = new Turns<Waiting>();
  /** In this turn. */
  #bytes = 0;
  #pausedUntilMs = -Infinity;
  #soon: NodeJS.Immediate | null = null;
  #later: NodeJS.Timeout | null = null;

  /** Does it now, if nothing else has to come first, or in its turn. It must not throw. */
  run({ by, bytes }: LoopWork, work: () => void): void {
    const waiting = { bytes, work };
    const [queue, mayGo] =
      bytes > BYTES_PER_TURN
        ? [this.#large, this.#bytes === 0 && performance.now() >= this.#pausedUntilMs]
        : [this.#small, this.#bytes + bytes <= BYTES_PER_TURN];
    if (mayGo && queue.isEmpty) this.#do(waiting);
    else queue.add([by], waiting);
    this.#schedule();
  }

  /** The same for what gives something, or throws. */
  result<T>(of: LoopWork, work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.run(of, () => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  #do({ bytes, work }: Waiting): void {
    this.#bytes += bytes;
    const startMs = performance.now();
    work();
    if (bytes <= BYTES_PER_TURN) return;
    const endMs = performance.now();
    this.#pausedUntilMs = endMs + Math.min(LONGEST_PAUSE_MS, PAUSE_FACTOR * (endMs - startMs));
  }

  #schedule(): void {
    const pauseMs = this.#large.isEmpty ? 0 : this.#pausedUntilMs - performance.now();
    const isDue = this.#bytes > 0 || !this.#small.isEmpty || (!this.#large.isEmpty && pauseMs <= 0);
    if (isDue && this.#soon === null) this.#soon = setImmediate(() => this.#turn());
    if (!isDue && pauseMs > 0 && this.#later === null)
      this.#later = setTimeout(() => this.#endPause(), pauseMs);
  }

  #endPause(): void {
    this.#later = null;
    this.#schedule();
  }

  #turn(): void {
    this.#soon = null;
    this.#bytes = 0;
    if (performance.now() >= this.#pausedUntilMs) this.#next(this.#large);
    while (!this.#small.isEmpty && this.#bytes < BYTES_PER_TURN) this.#next(this.#small);
    this.#schedule();
  }

  #next(queue: Turns<Waiting>): void {
    const search = queue.take(() => true);
    let step = search.next();
    while (step.done !== true) step = search.next();
    if (step.value !== null) this.#do(step.value);
  }
}

interface Waiting {
  bytes: number;
  work: () => void;
}
