import { ApiError } from '../errors/api-error.js';

/** Bounds of a queue. */
export interface WorkQueueOptions {
  /** Pieces of work running at once. */
  maxRunning: number;
  /** Pieces waiting; more are refused. */
  maxWaiting: number;
}

/** Runs expensive work a few pieces at a time, in order of arrival, and refuses what would wait too long. */
export class WorkQueue {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(private readonly options: WorkQueueOptions) {}

  /**
   * Runs `work` when its turn comes. Rejects with 503 `overloaded` when too many wait already, and with the
   * signal's reason when the caller gives up before the turn.
   */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.#running >= this.options.maxRunning) await this.#turn(signal);
    else this.#running += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  /** Resolves with the slot of one that has ended, so that nobody is overtaken. */
  #turn(signal: AbortSignal | undefined): Promise<void> {
    if (this.#waiting.length >= this.options.maxWaiting) {
      const message = 'Too many pages and images are being worked on at the moment';
      throw new ApiError(503, 'M_UNKNOWN', message, { reason: 'overloaded', retryAfterSeconds: 5 });
    }
    return new Promise((resolve, reject) => {
      const go = (): void => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(go), 1);
        reject(signal?.reason instanceof Error ? signal.reason : new Error('given up'));
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      this.#waiting.push(go);
    });
  }
}
