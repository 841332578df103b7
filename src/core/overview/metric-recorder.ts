import { MINUTE_MS } from '../clock.js';
import type { Clock } from '../clock.js';
import { METRIC_KINDS, METRIC_NAMES } from './metric-names.js';
import type { MetricName } from './metric-names.js';
import type { MetricSample, MetricStore } from './metric-store.js';
import { spanStart } from './time-ranges.js';

/** Reads the present value of every figure: counters since the start of the process, gauges as they stand. */
export type MetricReader = () => Promise<Readonly<Record<MetricName, number>>>;

/** What the recorder is built from. */
export interface MetricRecorderOptions {
  store: MetricStore;
  read: MetricReader;
  clock: Clock;
  instance: string;
}

/** Writes down, once a minute, what counters have gained and what gauges say. */
export class MetricRecorder {
  #last: Readonly<Record<MetricName, number>> | null = null;

  constructor(private readonly options: MetricRecorderOptions) {}

  /** Adds what happened since the last call. Rejects when the store is away; nothing is lost then. */
  async record(): Promise<void> {
    const { store, read, clock, instance } = this.options;
    const now = await read();
    const last = this.#last;
    const samples = METRIC_NAMES.map((metric) => sampleOf(metric, now[metric], last?.[metric] ?? null));
    const nowTs = clock.now();
    await store.add(
      samples.filter((sample): sample is MetricSample => sample !== null),
      { ts: nowTs, instance },
    );
    this.#last = now;
    // Once an hour is enough for rows that are kept for days.
    if (spanStart(nowTs, MINUTE_MS) % (60 * MINUTE_MS) === 0) await store.prune(nowTs);
  }
}

/** `null` when there is nothing to write: an idle service leaves no rows. */
function sampleOf(metric: MetricName, now: number, last: number | null): MetricSample | null {
  if (METRIC_KINDS[metric] === 'gauge') return now === last ? null : { metric, value: now };
  const gained = now - (last ?? 0);
  return gained > 0 ? { metric, value: gained } : null;
}
