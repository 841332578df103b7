import { MINUTE_MS, type Clock } from '../../../base/clock.js';
import { METRIC_KINDS, METRIC_NAMES, type MetricName } from './metric-names.js';
import type { MetricSample, MetricStore } from './metric-store.js';
import { spanStart } from './time-ranges.js';

type Figures = Readonly<Record<MetricName, number>>;

/** Reads the present value of every figure: counters since the start of the process, gauges as they stand. */
export type MetricReader = () => Promise<Figures>;

export interface MetricRecorderOptions {
  store: MetricStore;
  read: MetricReader;
  clock: Clock;
  instance: string;
}

/** Writes down, once a minute, what counters have gained and what gauges say. */
export class MetricRecorder {
  /** As last written. */
  #last: Figures | null = null;

  constructor(private readonly options: MetricRecorderOptions) {}

  /** Adds what happened since the last call, which has ended. Rejects when the store is away; nothing is lost then. */
  async record(): Promise<void> {
    const { store, read, clock, instance } = this.options;
    const now = await read();
    const nowTs = clock.now();
    await store.add(samplesOf(now, this.#last), { ts: nowTs, instance });
    this.#last = now;
    // Once an hour is enough for rows that are kept for days.
    if (spanStart(nowTs, MINUTE_MS) % (60 * MINUTE_MS) === 0) await store.prune(nowTs);
  }
}

function samplesOf(now: Figures, last: Figures | null): MetricSample[] {
  return METRIC_NAMES.map((metric) => sampleOf(metric, now[metric], last?.[metric] ?? null)).filter(
    (sample) => sample !== null,
  );
}

/** `null` when there is nothing to write: an idle service leaves no rows. */
function sampleOf(metric: MetricName, now: number, last: number | null): MetricSample | null {
  if (METRIC_KINDS[metric] === 'gauge') return now === last ? null : { metric, value: now };
  const gained = now - (last ?? 0);
  return gained > 0 ? { metric, value: gained } : null;
}
