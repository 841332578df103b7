import type { Clock } from '../../../base/clock.js';
import type { MetricName } from './metric-names.js';
import type { MetricRecorder, PendingGains } from './metric-recorder.js';
import type { MetricSeries, MetricStore } from './metric-store.js';
import type { TimeRange } from './time-ranges.js';

/** What figures over time are read from. */
export interface LiveSeriesOptions {
  store: MetricStore;
  recorder: MetricRecorder;
  clock: Clock;
}

/** Figures up to this moment: as stored, and what counters of this process have gained since they were written. */
export class LiveSeries {
  constructor(private readonly options: LiveSeriesOptions) {}

  /** The figures of a range that ends now. What other processes have not written yet is not known here. */
  async series(metrics: readonly MetricName[], range: TimeRange): Promise<MetricSeries[]> {
    const { store, recorder, clock } = this.options;
    const look = () => store.series(metrics, range, clock.now());
    const { stored, pending } = await recorder.beside(look);
    return stored.map((series) => withGain(series, pending));
  }
}

/** Gains belong to the latest point, where a writing at this moment would put them. */
function withGain(series: MetricSeries, pending: PendingGains): MetricSeries {
  const gain = pending.get(series.metric) ?? 0;
  const latest = series.values.at(-1);
  if (gain === 0 || latest === undefined) return series;
  return {
    ...series,
    values: [...series.values.slice(0, -1), latest + gain],
    total: series.total + gain,
  };
}
