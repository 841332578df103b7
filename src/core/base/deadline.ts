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
  readonly #listeners = new Set<() => void>();
  /** For others' code alone: a fetch has ten deadlines. */
  #controller: AbortController | null = null;
  /** Whether it has expired or was cancelled, and why, as of its signal. */
  isOver = false;
  reason: unknown;

  /** Starts now. `parent` ends this one early: by its own expiry, or as a cancellation by the caller. */
  constructor(limitMs: number, parent?: AbortSignal | Deadline) {
    this.#endMs = performance.now() + limitMs;
    this.#timer = setTimeout(() => this.#end(EXPIRED), limitMs);
    this.#unlink = parent === undefined ? () => {} : onAbort(parent, () => this.#end(parent.reason));
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.isOver) this.#controller.abort(this.reason);
    return this.#controller.signal;
  }

  /** Work with a limit that ends with it. */
  static async run<T>(limitMs: number, work: (limit: Deadline) => Promise<T>, parent?: Deadline): Promise<T> {
    const limit = new Deadline(limitMs, parent);
    return work(limit).finally(() => limit.close());
  }

  /** Work with a shorter limit inside this one. */
  within<T>(limitMs: number, work: (limit: Deadline) => Promise<T>): Promise<T> {
    const leftMs = Math.max(0, this.#endMs - performance.now());
    return Deadline.run(Math.min(limitMs, leftMs), work, this);
  }

  /** The error for a step that the end stopped: `reason` on expiry, `aborted` when the caller gave up. */
  error(reason: OutboundReason, detail: string): ApiError {
    return outboundError(this.reason === EXPIRED ? reason : 'aborted', detail);
  }

  /**
   * The promise's own outcome, or an error once the limit is reached. For work that cannot be cancelled:
   * its late outcome is ignored.
   */
  async race<T>(work: Promise<T>, reason: OutboundReason, detail: string): Promise<T> {
    return abortable<T>(this, (resolve, reject) => {
      work.then(resolve, reject);
      return () => reject(this.error(reason, detail));
    });
  }

  /** Ends the work now, as a cancellation. */
  cancel(): void {
    this.#end(undefined);
  }

  /** Calls `listener` when it is over, at once if it is; the returned function takes it back. */
  whenOver(listener: () => void): () => void {
    if (this.isOver) listener();
    else this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #end(reason: unknown): void {
    if (this.isOver) return;
    this.isOver = true;
    this.reason = reason;
    this.#controller?.abort(reason);
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
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
export function onAbort(signal: AbortSignal | Deadline, listener: () => void): () => void {
  if (signal instanceof Deadline) return signal.whenOver(listener);
  if (signal.aborted) {
    listener();
    return () => {};
  }
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

/** A promise whose executor returns what is to be done when the signal aborts before it is settled. */
export async function abortable<T>(
  signal: AbortSignal | Deadline,
  executor: (resolve: (value: T) => void, reject: (error: unknown) => void) => () => void,
): Promise<T> {
  let unlink: (() => void) | undefined;
  try {
    return await new Promise<T>((resolve, reject) => {
      unlink = onAbort(signal, executor(resolve, reject));
    });
  } finally {
    unlink?.();
  }
}
