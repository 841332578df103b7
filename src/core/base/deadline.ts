import type { ApiError } from './errors/api-error.js';
import { outboundError, type OutboundReason } from './errors/outbound-error.js';

const EXPIRED = Symbol('deadline expired');

/**
 * One time limit over several steps, on the monotonic clock. `AbortSignal.timeout()` is not used: it keeps all
 * its listeners hold alive until it fires. Call `close()` when the work is over.
 */
export class Deadline {
  readonly #endMs: number;
  readonly #timer: NodeJS.Timeout;
  readonly #unlink: () => void;
  readonly #controller = new AbortController();

  /** Starts now. `parent` ends this one early: by its own expiry, or as a cancellation by the caller. */
  constructor(limitMs: number, parent?: AbortSignal) {
    this.#endMs = performance.now() + limitMs;
    this.#timer = setTimeout(() => this.#controller.abort(EXPIRED), limitMs);
    const follow = (): void => this.#controller.abort(parent?.reason);
    this.#unlink = parent === undefined ? () => {} : onAbort(parent, follow);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether it has expired or was cancelled. */
  get isOver(): boolean {
    return this.signal.aborted;
  }

  /** Milliseconds left, never below 0. */
  get remainingMs(): number {
    return Math.max(0, this.#endMs - performance.now());
  }

  /** A shorter limit inside this one; close it as well. */
  within(limitMs: number): Deadline {
    return new Deadline(Math.min(limitMs, this.remainingMs), this.signal);
  }

  /** The error for a step that the end stopped: `reason` on expiry, `aborted` when the caller gave up. */
  error(reason: OutboundReason, detail: string): ApiError {
    return outboundError(this.signal.reason === EXPIRED ? reason : 'aborted', detail);
  }

  /**
   * The promise's own outcome, or an error once the limit is reached. For work that cannot be cancelled:
   * its late outcome is ignored.
   */
  async race<T>(work: Promise<T>, reason: OutboundReason, detail: string): Promise<T> {
    return abortable<T>(this.signal, (resolve, reject) => {
      work.then(resolve, reject);
      return () => reject(this.error(reason, detail));
    });
  }

  /** Ends the work now, as a cancellation. */
  cancel(): void {
    this.#controller.abort();
  }

  /** Releases timer and listeners; the work is over. */
  close(): void {
    clearTimeout(this.#timer);
    this.#unlink();
  }
}

/** Whether the caller ended what a deadline's signal is for, and not its time. */
export function isCancelled(signal: AbortSignal): boolean {
  return signal.aborted && signal.reason !== EXPIRED;
}

/** Calls `listener` once when the signal aborts, at once if it has; the returned function takes it back. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener();
    return () => {};
  }
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

/** A promise whose executor returns what is to be done when the signal aborts before it is settled. */
export async function abortable<T>(
  signal: AbortSignal,
  executor: (resolve: (value: T) => void, reject: (error: unknown) => void) => () => void,
): Promise<T> {
  const undo: (() => void)[] = [];
  try {
    return await new Promise<T>((resolve, reject) => {
      undo.push(onAbort(signal, executor(resolve, reject)));
    });
  } finally {
    for (const unlink of undo) unlink();
  }
}
