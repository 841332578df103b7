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

/** Gains of counters that are not written yet. */
export type PendingGains = ReadonlyMap<MetricName, number>;

/** Writes down, once a minute, what counters have gained and what gauges say. */
export class MetricRecorder {
  /** As last written; a new object for each writing. */
  #last: Figures | null = null;
  #writing: Promise<void> | null = null;

  constructor(private readonly options: MetricRecorderOptions) {}

  /** Adds what happened since the last call, which has ended. Rejects when the store is away; nothing is lost then. */
  record(): Promise<void> {
    this.#writing = this.#write().finally(() => {
      this.#writing = null;
    });
    return this.#writing;
  }

  /**
   * What `look` reads of the store, beside what this process has not written yet. It looks again when something was
   * written meanwhile, so every gain is in one of the two and none in both.
   */
  async beside<Stored>(look: () => Promise<Stored>): Promise<{ stored: Stored; pending: PendingGains }> {
    for (;;) {
      // A writing that fails is told to who asked for it; its gains are still pending.
      await Promise.allSettled([this.#writing]);
      const last = this.#last;
      const stored = await look();
      const now = await this.options.read();
      if (this.#writing === null && this.#last === last) return { stored, pending: gainsOf(now, last) };
    }
  }

  async #write(): Promise<void> {
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

function gainsOf(now: Figures, last: Figures | null): PendingGains {
  const gains = samplesOf(now, last).filter(({ metric }) => METRIC_KINDS[metric] === 'counter');
  return new Map(gains.map(({ metric, value }) => [metric, value]));
}

/** `null` when there is nothing to write: an idle service leaves no rows. */
function sampleOf(metric: MetricName, now: number, last: number | null): MetricSample | null {
  if (METRIC_KINDS[metric] === 'gauge') return now === last ? null : { metric, value: now };
  const gained = now - (last ?? 0);
  return gained > 0 ? { metric, value: gained } : null;
}
