import type { Counter } from 'prom-client';

import { DAY_MS, HOUR_MS, MINUTE_MS, type Clock } from '../../../base/clock.js';
import { isKeyOf } from '../../../base/json/is-record.js';
import type { Metrics } from '../../../base/metrics.js';
import type { Database } from '../../../store/db.js';
import { insertRows, sumMetricSpans, type MetricSpan } from '../../../store/hot-sql.js';

/** The figures kept over time for operators. */
export const METRICS = {
  key_queries: 'Servers in key queries',
  key_cache_hits: 'Of these, answered from memory',
  key_fetches: 'Key fetches',
  key_fetch_failures: 'Failed key fetches',
  preview_requests: 'Preview requests',
  preview_memory_hits: 'Of these, answered from memory',
  preview_store_hits: 'Of these, answered from the store',
  preview_generated: 'Of these, generated',
  preview_failures: 'Failed previews',
  preview_denied: 'Preview requests denied with 401 or 403',
  preview_unavailable: 'Preview requests refused with 503',
  block_hits: 'Blocked URLs',
  media_bytes: 'Bytes of stored media',
  media_deleted: 'Deleted media',
} as const;
export type MetricName = keyof typeof METRICS;
export const METRIC_NAMES = Object.keys(METRICS).filter((name) => isKeyOf(METRICS, name));
/** Keeps its last value; all others are summed over a span. */
const GAUGE = 'media_bytes';

/** A figure over time, oldest first; spans of which nothing is known count 0, or what a gauge last said. */
export type MetricSeries = ReturnType<typeof toSeries>;

/** The figures of a range that ends now, as last written: once a minute. */
export type ReadSeries = (metrics: readonly MetricName[], range: TimeRange) => Promise<MetricSeries[]>;

/** Span of one row. */
const ROW_MS = 5 * MINUTE_MS;
const KEPT_MS = 31 * DAY_MS;
const RANGES = {
  hour: { stepMs: ROW_MS, points: 12 },
  day: { stepMs: 15 * MINUTE_MS, points: 96 },
  week: { stepMs: 2 * HOUR_MS, points: 84 },
  month: { stepMs: 8 * HOUR_MS, points: 90 },
};

/** How far back a chart looks. */
export type TimeRange = keyof typeof RANGES;

type Figures = Readonly<Record<MetricName, number>>;

export interface MetricStoreOptions {
  database: Database;
  clock: Clock;
  instance: string;
  /** The present value of every figure: counters since the start of the process, gauges as they are. */
  read: () => Promise<Figures>;
}

/** Those of a span that is stored are added up, but for the gauge. */
export const METRIC_ROWS = {
  table: 'metric_point',
  conflict: `ON CONFLICT (metric, ts, instance) DO UPDATE SET value = excluded.value
    + CASE WHEN excluded.metric = '${GAUGE}' THEN 0 ELSE metric_point.value END`,
};

/** Figures over time: one row a figure, instance and five minutes. */
export class MetricStore {
  /** As last written. */
  #last: Figures | null = null;

  constructor(private readonly options: MetricStoreOptions) {}

  /** Adds what happened since the last call, which has ended. Rejects when the store is away; nothing is lost then. */
  async record(): Promise<void> {
    const { database, clock, instance, read } = this.options;
    const now = await read();
    const ts = spanStart(clock.now(), ROW_MS);
    const rows = METRIC_NAMES.flatMap((metric) => {
      const isGauge = metric === GAUGE;
      const value = isGauge ? now[metric] : now[metric] - (this.#last?.[metric] ?? 0);
      // An idle service leaves no rows.
      const isNews = isGauge ? value !== this.#last?.[metric] : value > 0;
      return isNews ? [{ metric, value, ts, instance }] : [];
    });
    await insertRows(database.client, METRIC_ROWS, rows);
    this.#last = now;
    await database.client.metricPoint.deleteMany({ where: { ts: { lt: BigInt(ts - KEPT_MS) } } });
  }

  /** The figures of a range that ends now. */
  async series(metrics: readonly MetricName[], range: TimeRange): Promise<MetricSeries[]> {
    const { database, clock } = this.options;
    const shape = RANGES[range];
    const firstTs = spanStart(clock.now(), shape.stepMs) - (shape.points - 1) * shape.stepMs;
    const rows = await sumMetricSpans(database.client, shape.stepMs, firstTs);
    return [...new Set(metrics)].map((metric) => toSeries(metric, rows, { shape, firstTs }));
  }
}

function toSeries(
  metric: MetricName,
  rows: readonly MetricSpan[],
  { shape: { stepMs, points }, firstTs }: { shape: (typeof RANGES)[TimeRange]; firstTs: number },
) {
  const known = new Map(
    rows.filter((row) => row.metric === metric).map((row) => [Number(row.at), row.value]),
  );
  const isGauge = metric === GAUGE;
  let last = 0;
  const values = Array.from({ length: points }, (_, index) => {
    last = known.get(firstTs + index * stepMs) ?? (isGauge ? last : 0);
    return last;
  });
  const total = isGauge ? last : values.reduce((sum, value) => sum + value, 0);
  return { metric, startTs: firstTs, stepMs, values, total };
}

function spanStart(ts: number, stepMs: number): number {
  return ts - (ts % stepMs);
}

/** Figures of this process: counters since its start, and what was last measured. */
export type ProcessCounters = Readonly<Record<MetricName | 'key_cache_misses', number>>;

/** Figures that no counter of `Metrics` holds. */
export interface OtherFigures {
  blockHits: number;
  mediaBytes: number;
}

/** Reads the counters that Prometheus sees, too, so that both tell the same. */
export async function readCounters(metrics: Metrics, others: OtherFigures): Promise<ProcessCounters> {
  const lookups = await byLabel(metrics.keyLookups, 'result');
  const fetches = await byLabel(metrics.keyFetches, 'outcome');
  const previews = await byLabel(metrics.previewRequests, 'result');
  const refusals = await byLabel(metrics.previewRefusals, 'refusal');
  const of = (counts: ReadonlyMap<string, number>, label: string) => counts.get(label) ?? 0;
  return {
    key_queries: sum(await byLabel(metrics.keyQueries, 'form')),
    key_cache_hits: of(lookups, 'fresh'),
    key_cache_misses: of(lookups, 'missed'),
    key_fetches: sum(fetches),
    key_fetch_failures: sum(fetches) - of(fetches, 'ok'),
    preview_requests: sum(previews),
    preview_memory_hits: of(previews, 'memory'),
    preview_store_hits: of(previews, 'stored'),
    preview_generated: of(previews, 'made'),
    preview_failures: of(previews, 'failed'),
    preview_denied: of(refusals, 'denied'),
    preview_unavailable: of(refusals, 'unavailable'),
    block_hits: others.blockHits,
    media_bytes: others.mediaBytes,
    media_deleted: of(await byLabel(metrics.jobWork, 'kind'), 'media'),
  };
}

async function byLabel<T extends string>(counter: Counter<T>, label: T): Promise<Map<string, number>> {
  const { values } = await counter.get();
  const counts = new Map<string, number>();
  for (const { labels, value } of values) {
    const name = String(labels[label]);
    counts.set(name, (counts.get(name) ?? 0) + value);
  }
  return counts;
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}
