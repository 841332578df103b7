import type { Database } from '../../../store/db.js';
import { insertRows } from '../../../store/sql/insert-rows.js';
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
  points: { ts: number; value: number }[];
  /** Sum of a counter; latest value of a gauge. */
  total: number;
}

interface SpanRow {
  metric: string;
  at: bigint | number;
  value: number;
}

const PRUNE_BATCH = 1000;
const TABLE = 'metric_point';
const SEEN_BEFORE = 'ON CONFLICT (metric, resolution_ms, ts, instance) DO UPDATE SET value =';
/** What is counted is added to what a span has. */
const TARGETS = {
  counter: { table: TABLE, conflict: `${SEEN_BEFORE} metric_point.value + excluded.value` },
  gauge: { table: TABLE, conflict: `${SEEN_BEFORE} excluded.value` },
};

/** Figures over time; rows of metric_point. */
export class MetricStore {
  constructor(private readonly database: Database) {}

  /** Adds samples to the minute and the hour that hold `ts`. */
  async add(
    samples: readonly MetricSample[],
    { ts, instance }: { ts: number; instance: string },
  ): Promise<void> {
    if (samples.length === 0) return;
    await this.database.plain.transaction(async (runner) => {
      for (const resolutionMs of KEPT_MS.keys()) {
        const span = { resolution_ms: resolutionMs, ts: spanStart(ts, resolutionMs), instance };
        for (const kind of ['counter', 'gauge'] as const) {
          const those = samples.filter(({ metric }) => METRIC_KINDS[metric] === kind);
          const rows = those.map(({ metric, value }) => ({ metric, ...span, value }));
          await insertRows(runner, TARGETS[kind], rows);
        }
      }
    });
  }

  /** The figures of a range that ends at `nowTs`. */
  async series(metrics: readonly MetricName[], range: TimeRange, nowTs: number): Promise<MetricSeries[]> {
    const shape = RANGE_SHAPES[range];
    const firstTs = spanStart(nowTs, shape.stepMs) - (shape.points - 1) * shape.stepMs;
    const rows = await this.#spans(shape, firstTs);
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

  #spans({ resolutionMs, stepMs }: RangeShape, firstTs: number): Promise<SpanRow[]> {
    const step = BigInt(stepMs);
    // Instances of one store measure the same media, so a gauge is not summed over them.
    return this.database.client.$queryRaw<SpanRow[]>`
      SELECT metric, ts - ts % ${step} AS at,
        CASE WHEN metric = 'media_bytes' THEN MAX(value) ELSE SUM(value) END AS value
      FROM metric_point
      WHERE resolution_ms = ${resolutionMs} AND ts >= ${BigInt(firstTs)}
      GROUP BY 1, 2`;
  }
}

function toSeries(
  metric: MetricName,
  rows: readonly SpanRow[],
  { shape, firstTs }: { shape: RangeShape; firstTs: number },
): MetricSeries {
  const known = new Map(
    rows.filter((row) => row.metric === metric).map((row) => [Number(row.at), row.value]),
  );
  const isGauge = METRIC_KINDS[metric] === 'gauge';
  let last = 0;
  const points = Array.from({ length: shape.points }, (_, index) => {
    const ts = firstTs + index * shape.stepMs;
    const value = known.get(ts) ?? (isGauge ? last : 0);
    last = value;
    return { ts, value };
  });
  const total = isGauge ? last : points.reduce((sum, { value }) => sum + value, 0);
  return { metric, points, total };
}
