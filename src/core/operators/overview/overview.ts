import type { PreviewCache } from '../../preview/pipeline/preview-cache.js';
import type { Database } from '../../store/db.js';
import type { InstanceInfo, InstanceStore } from './instance-store.js';
import { recentFailures, type RecentFailure } from './recent-failure-store.js';
import type { ReadSeries } from './series/metric-store.js';
import type { ProcessCounters } from './series/process-counters.js';
import type { MediaSpace, StoredCounts, StoredTotals } from './stored-totals.js';

/** How much there is of everything; requests and cache hits are those of this process since its start. */
export interface Totals extends StoredTotals {
  failedPreviews: number;
  keyLookups: number;
  keyCacheHits: number;
  previewRequests: number;
  previewCacheHits: number;
}

export interface OverviewOptions {
  database: Database;
  process: { version: string; serverName: string; instance: string; startedTs: number };
  counts: StoredCounts;
  /** Counters since the start of the process. */
  counters: () => Promise<ProcessCounters>;
  series: ReadSeries;
  instances: InstanceStore;
  previews: PreviewCache;
}

/** Everything the first page of the operators' side shows. */
export class Overview {
  /** Figures over time, up to the last full minute. */
  readonly series: ReadSeries;

  constructor(private readonly options: OverviewOptions) {
    this.series = options.series;
  }

  /** Which process answers. */
  get process(): OverviewOptions['process'] {
    return this.options.process;
  }

  instances(): Promise<InstanceInfo[]> {
    return this.options.instances.list();
  }

  async totals(): Promise<Totals> {
    const counters = await this.options.counters();
    const { key_cache_hits: keyCacheHits, preview_memory_hits: previewCacheHits } = counters;
    const { preview_store_hits, preview_generated, preview_failures } = counters;
    return {
      ...(await this.options.counts.totals()),
      failedPreviews: this.options.previews.failures().length,
      keyLookups: keyCacheHits + counters.key_cache_misses,
      keyCacheHits,
      previewRequests: previewCacheHits + preview_store_hits + preview_generated + preview_failures,
      previewCacheHits,
    };
  }

  recentFailures(): Promise<RecentFailure[]> {
    return recentFailures(this.options.database, this.options.previews);
  }

  mediaSpace(): Promise<MediaSpace> {
    return this.options.counts.space();
  }
}
