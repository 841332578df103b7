import { MINUTE_MS, SECOND_MS } from '../clock.js';
import type { MeasureOptions } from './measure-totals.js';
import { measureTotals } from './measure-totals.js';

/** What decides whether it is this process's turn to measure. */
export interface MeasuringOptions extends MeasureOptions {
  /** Takes the lease that keeps other processes of the store from measuring at the same time. */
  take(): Promise<boolean>;
  release(): Promise<void>;
  signal: AbortSignal;
}

const SHORTEST_PAUSE_MS = 30 * SECOND_MS;
const LONGEST_PAUSE_MS = 30 * MINUTE_MS;
/** Measuring may take this share of the time, so that big stores are measured rarely. */
const TIME_SHARE = 0.01;

/** Measures the totals when it is time: often while that is cheap. */
export class TotalMeasuring {
  #pauseMs = 0;

  constructor(private readonly options: MeasuringOptions) {}

  /** Measures unless that was done lately, by whichever process. Rejects when the store is away. */
  async runIfDue(): Promise<void> {
    const { totals, clock, take, release, signal } = this.options;
    const { measuredTs } = await totals.read();
    if (measuredTs !== null && Math.abs(clock.now() - measuredTs) < this.#pauseMs) return;
    if (!(await take())) return;
    try {
      const startedMs = performance.now();
      await measureTotals(this.options, signal);
      const tookMs = performance.now() - startedMs;
      this.#pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, tookMs / TIME_SHARE));
    } finally {
      await release();
    }
  }
}
