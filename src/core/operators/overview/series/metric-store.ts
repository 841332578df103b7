import type { Database } from '../../../store/db.js';
import { addMetricRows, sumMetricSpans, type MetricSpan } from '../../../store/hot-sql.js';
import { METRIC_KINDS, type MetricName } from './metric-names.js';
import { KEPT_MS, RANGE_SHAPES, spanStart, type RangeShape, type TimeRange } from './time-ranges.js';

/** What one instance saw of one figure since it last told. */
export interface MetricSample {
  metric: MetricName;
  value: number;
}

/** A figure over time, oldest first; spans of which nothing is known count 0, or what a gauge last said. */
export interface MetricSeries {
  metric: MetricName;
  /** POSIX ms at which the first span begins. */
  startTs: number;
  stepMs: number;
  values: number[];
  /** Sum of a counter; latest value of a gauge. */
  total: number;
}

/** The figures of a range that ends now, as last written: once a minute. */
export type ReadSeries = (metrics: readonly MetricName[], range: TimeRange) => Promise<MetricSeries[]>;

const PRUNE_BATCH = 1000;

/** Figures over time; rows of metric_point. */
export class MetricStore {
  constructor(private readonly database: Database) {}

  /** Adds samples to the minute and the hour that hold `ts`. */
  async add(
    samples: readonly MetricSample[],
    { ts, instance }: { ts: number; instance: string },
  ): Promise<void> {
    if (samples.length === 0) return;
    const rows = [...KEPT_MS.keys()].flatMap((resolutionMs) =>
      samples.map((sample) => ({ ...sample, resolutionMs, ts: spanStart(ts, resolutionMs), instance })),
    );
    const isGauge = ({ metric }: MetricSample): boolean => METRIC_KINDS[metric] === 'gauge';
    await addMetricRows(
      this.database.client,
      rows.map((row) => ({ ...row, isAdded: !isGauge(row) })),
    );
  }

  /** The figures of a range that ends at `nowTs`. */
  async series(metrics: readonly MetricName[], range: TimeRange, nowTs: number): Promise<MetricSeries[]> {
    const shape = RANGE_SHAPES[range];
    const firstTs = spanStart(nowTs, shape.stepMs) - (shape.points - 1) * shape.stepMs;
    const rows = await sumMetricSpans(this.database.client, shape, firstTs);
    return [...new Set(metrics)].map((metric) => toSeries(metric, rows, { shape, firstTs }));
  }

  /** Deletes what is older than kept; returns how many rows went. */
  async prune(nowTs: number): Promise<number> {
    const { metricPoint } = this.database.client;
    let removed = 0;
    for (const [resolutionMs, keptMs] of KEPT_MS) {
      const where = { resolutionMs, ts: { lt: BigInt(nowTs - keptMs) } };
      for (let batch = PRUNE_BATCH; batch === PRUNE_BATCH;) {
        const old = await metricPoint.findMany({ where, take: PRUNE_BATCH, orderBy: { ts: 'asc' } });
        batch = old.length;
        const newest = old.at(-1);
        if (newest === undefined) break;
        const gone = await metricPoint.deleteMany({ where: { resolutionMs, ts: { lte: newest.ts } } });
        removed += gone.count;
      }
    }
    return removed;
  }
}

function toSeries(
  metric: MetricName,
  rows: readonly MetricSpan[],
  { shape, firstTs }: { shape: RangeShape; firstTs: number },
): MetricSeries {
  const known = new Map(
    rows.filter((row) => row.metric === metric).map((row) => [Number(row.at), row.value]),
  );
  const isGauge = METRIC_KINDS[metric] === 'gauge';
  let last = 0;
  const values = Array.from({ length: shape.points }, (_, index) => {
    last = known.get(firstTs + index * shape.stepMs) ?? (isGauge ? last : 0);
    return last;
  });
  const total = isGauge ? last : values.reduce((sum, value) => sum + value, 0);
  return { metric, startTs: firstTs, stepMs: shape.stepMs, values, total };
}
