import type { Database } from '../../store/db.js';
import { diskBytes, type CountStore, type KeyCounts, type MediaCounts } from './totals/count-store.js';
import type { Share } from './totals/media-measure-store.js';
import type { InstanceInfo, InstanceStore } from './instance-store.js';
import type { LiveSeries } from './series/live-series.js';
import { readShares } from './totals/measure-totals.js';
import type { MetricName } from './series/metric-names.js';
import type { MetricSeries } from './series/metric-store.js';
import type { ProcessCounters } from './series/process-counters.js';
import { recentFailures, type FailedPreview, type RecentFailure } from './recent-failure-store.js';
import type { TimeRange } from './series/time-ranges.js';
import type { TotalStore } from './totals/total-store.js';

/** Use of one cache since the start of the process. */
export interface CacheUse {
  entries: number;
  /** `null` where it is not bounded in bytes. */
  bytes: number | null;
  hits: number;
  misses: number;
}

/** The memory cache of previews by state, with its latest failures. */
export interface MemoryPreviews {
  entries: number;
  bytes: number;
  running: number;
  failed: number;
  latestFailures: readonly FailedPreview[];
}

/** What lives in this process alone. */
export interface ProcessFigures {
  memoryPreviews(): MemoryPreviews;
  keyCache(): { entries: number; bytes: number };
  /** Counters since the start of the process. */
  counters(): Promise<ProcessCounters>;
}

export interface OverviewOptions {
  database: Database;
  version: string;
  serverName: string;
  /** Name of this process. */
  instance: string;
  startedTs: number;
  counts: CountStore;
  series: LiveSeries;
  totals: TotalStore;
  instances: InstanceStore;
  figures: ProcessFigures;
}

/** Where the space of media goes, as last measured. */
export interface MediaSpace {
  /** All of it: files and thumbnails. */
  diskBytes: number;
  byType: MediaShare[];
  byDay: MediaShare[];
  byHost: MediaShare[];
  byOwner: MediaShare[];
  measuredTs: number | null;
}

export interface MediaShare extends Share {
  /** Content type, UTC date, host name or user ID. Untrusted text. */
  name: string;
}

/** Everything the first page of the operators' side shows. */
export class Overview {
  constructor(private readonly options: OverviewOptions) {}

  /** Which process answers. */
  get process(): Pick<OverviewOptions, 'version' | 'serverName' | 'instance' | 'startedTs'> {
    const { version, serverName, instance, startedTs } = this.options;
    return { version, serverName, instance, startedTs };
  }

  instances(): Promise<InstanceInfo[]> {
    return this.options.instances.list();
  }

  keys(): Promise<KeyCounts> {
    return this.options.counts.keys();
  }

  async previews(): Promise<{ stored: number; failed: number }> {
    return {
      stored: await this.options.counts.previews(),
      failed: this.options.figures.memoryPreviews().failed,
    };
  }

  media(): Promise<MediaCounts> {
    return this.options.counts.media();
  }

  /** The memory cache of previews. */
  async memoryCache(): Promise<CacheUse> {
    const { figures } = this.options;
    const {
      preview_memory_hits: hits,
      preview_store_hits,
      preview_generated,
      preview_failures,
    } = await figures.counters();
    const { entries, bytes } = figures.memoryPreviews();
    return { entries, bytes, hits, misses: preview_store_hits + preview_generated + preview_failures };
  }

  /** Signed key records in memory. */
  async keyCache(): Promise<CacheUse> {
    const { key_cache_hits: hits, key_cache_misses: misses } = await this.options.figures.counters();
    return { ...this.options.figures.keyCache(), hits, misses };
  }

  /** Figures over time, up to this moment. */
  series(metrics: readonly MetricName[], range: TimeRange): Promise<MetricSeries[]> {
    return this.options.series.series(metrics, range);
  }

  recentFailures(): Promise<RecentFailure[]> {
    const { database, figures } = this.options;
    return recentFailures(database, figures.memoryPreviews().latestFailures);
  }

  async mediaSpace(): Promise<MediaSpace> {
    const totals = await this.options.totals.read();
    const { values, measuredTs } = totals;
    return {
      diskBytes: diskBytes(totals),
      byType: readShares(values, 'type'),
      byDay: readShares(values, 'day'),
      byHost: readShares(values, 'host'),
      byOwner: readShares(values, 'owner'),
      measuredTs,
    };
  }
}
