import { MINUTE_MS } from '../../base/clock.js';
import type { Rank } from '../../base/places/place-ticket.js';
import { entryCache } from '../../base/runtime/entry-cache.js';

/** How much may go at once to destinations that have not proved anything yet. */
export interface SlowStartOptions {
  /** At once, until something is answered. */
  first: number;
  /** At once at the most, however much is answered. */
  most: number;
  /** After `first` failures in a row only one goes in each pause. */
  pauseMs: number;
  /**
   * Whether a destination that answered lately keeps its first number and is paused for very many failures alone: one
   * that many share must not be spoilt for all by those who point dead names at it.
   */
  keepsAnswering: boolean;
  /** Told of each pause. */
  onPause?: (destination: string, after: PauseCause) => void;
}

/** What a destination is paused after: nothing but failures in a row, or too many beside its answers. */
export type PauseCause = 'silence' | 'failures';

interface State {
  width: number;
  failures: number;
  answeredMs: number;
  pausedUntilMs: number;
  /** When its failures are made up for, at one in each FAILURE_MS. */
  failedUntilMs: number;
}

const REMEMBERED = 10_000;
const LATELY_MS = 10 * MINUTE_MS;
/** Failures that a destination which answers may have at once, and how long each takes to be made up for (N-102). */
const FREE_FAILURES = 256;
const FAILURE_MS = 500;

/** How much may go at once to each destination: one more with every answer, half with every failure. */
export class SlowStart {
  readonly #states = entryCache<State>(REMEMBERED);
  readonly #listeners = new Set<() => void>();

  constructor(private readonly options: SlowStartOptions) {}

  /** How much may go at once; what answered before (rank 0) suffers from no failures of others there. */
  width(destination: string, rank: Rank = 1): number {
    const { first } = this.options;
    const width = this.#states.get(destination)?.width ?? first;
    return rank === 0 ? Math.max(first, width) : width;
  }

  /** Milliseconds until the next one may go; 0 when nothing holds it back. */
  pausedMs(destination: string): number {
    const untilMs = this.#states.peek(destination)?.pausedUntilMs ?? 0;
    return Math.max(0, untilMs - performance.now());
  }

  /** Something was answered. */
  answered(destination: string): void {
    const { most, keepsAnswering } = this.options;
    const { width, failedUntilMs } = this.#state(destination);
    this.#states.set(destination, {
      width: Math.min(most, width + 1),
      failures: 0,
      answeredMs: performance.now(),
      pausedUntilMs: keepsAnswering ? spentUntilMs(failedUntilMs) : 0,
      failedUntilMs,
    });
    this.#tell();
  }

  /** Something failed, and nothing was answered. */
  failed(destination: string): void {
    const { first, pauseMs, keepsAnswering, onPause } = this.options;
    const state = this.#state(destination);
    const nowMs = performance.now();
    const isKept = keepsAnswering && nowMs - state.answeredMs < LATELY_MS;
    const failures = state.failures + 1;
    // Those of an outage hold nobody up once it is over.
    const failedUntilMs = Math.min(
      Math.max(nowMs, state.failedUntilMs) + FAILURE_MS,
      nowMs + (FREE_FAILURES + first) * FAILURE_MS,
    );
    const pausedUntilMs = isKept ? spentUntilMs(failedUntilMs) : failures >= first ? nowMs + pauseMs : 0;
    this.#states.set(destination, {
      width: Math.max(isKept ? first : 1, Math.floor(state.width / 2)),
      failures,
      answeredMs: state.answeredMs,
      pausedUntilMs,
      failedUntilMs,
    });
    if (pausedUntilMs > nowMs) onPause?.(destination, isKept ? 'failures' : 'silence');
    this.#tell();
  }

  /** Calls the listener after each change. */
  subscribe(listener: () => void): void {
    this.#listeners.add(listener);
  }

  #state(destination: string): State {
    const { first } = this.options;
    const unknown = {
      width: first,
      failures: 0,
      answeredMs: -Infinity,
      pausedUntilMs: 0,
      failedUntilMs: 0,
    };
    return this.#states.get(destination) ?? unknown;
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Until when no failure is free; a time that has passed while some are left. */
function spentUntilMs(failedUntilMs: number): number {
  return failedUntilMs - FREE_FAILURES * FAILURE_MS;
}
