import { MINUTE_MS } from '../../../base/clock.js';
import { TOOK_MS, measureTotals, type MeasureOptions } from './measure-totals.js';

const SHORTEST_PAUSE_MS = 2 * MINUTE_MS;
const LONGEST_PAUSE_MS = 30 * MINUTE_MS;
/** Measuring may take this share of the time, so that big stores are measured rarely. */
const TIME_SHARE = 0.01;

/** Measures the totals, and knows when it is time to do so again: soon while that is cheap, after a start too. */
export class TotalMeasuring {
  /** As last read: until its pause is over nothing is due, whoever has measured since. */
  #last: { measuredTs: number; pauseMs: number } | null = null;

  constructor(private readonly options: MeasureOptions) {}

  /** Whether no process has measured for as long as the last measuring suggests. */
  async isDue(): Promise<boolean> {
    if (!this.#isPauseOver) return false;
    const { values, measuredTs } = await this.options.totals.read();
    const tookMs = values.get(TOOK_MS) ?? 0;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, tookMs / TIME_SHARE));
    this.#last = measuredTs === null ? null : { measuredTs, pauseMs };
    return this.#isPauseOver;
  }

  get #isPauseOver(): boolean {
    if (this.#last === null) return true;
    return Math.abs(this.options.clock.now() - this.#last.measuredTs) >= this.#last.pauseMs;
  }

  /** Counts everything now. Rejects when `signal` is aborted or the store is away. */
  measure(signal: AbortSignal): Promise<void> {
    return measureTotals(this.options, signal);
  }
}
