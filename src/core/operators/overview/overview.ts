import type { Database } from '../../store/db.js';
import { openAlarms } from '../keys/key-alarms.js';
import { diskBytes, type CountStore } from './totals/count-store.js';
import type { Share } from './totals/media-measure-store.js';
import type { InstanceInfo, InstanceStore } from './instance-store.js';
import { readShares } from './totals/measure-totals.js';
import type { MetricName } from './series/metric-names.js';
import type { MetricSeries, ReadSeries } from './series/metric-store.js';
import type { ProcessCounters } from './series/process-counters.js';
import { recentFailures, type FailedPreview, type RecentFailure } from './recent-failure-store.js';
import type { TimeRange } from './series/time-ranges.js';
import type { TotalStore } from './totals/total-store.js';

/** How much there is of everything; hits and requests are those of this process since its start. */
export interface Totals {
  servers: number;
  expiredServers: number;
  failingServers: number;
  alarmedServers: number;
  previews: number;
  failedPreviews: number;
  media: number;
  mediaBytes: number;
  keyLookups: number;
  keyCacheHits: number;
  previewRequests: number;
  previewCacheHits: number;
}

/** Failed previews in memory. */
export interface MemoryPreviews {
  failed: number;
  latestFailures: readonly FailedPreview[];
}

/** What lives in this process alone. */
export interface ProcessFigures {
  memoryPreviews(): MemoryPreviews;
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
  series: ReadSeries;
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

  async totals(): Promise<Totals> {
    const { counts, figures, database } = this.options;
    const [keys, alarms, previews, media, counters] = await Promise.all([
      counts.keys(),
      openAlarms(database),
      counts.previews(),
      counts.media(),
      figures.counters(),
    ]);
    const { key_cache_hits: keyCacheHits, preview_memory_hits: previewCacheHits } = counters;
    const { preview_store_hits, preview_generated, preview_failures } = counters;
    return {
      servers: keys.servers,
      expiredServers: keys.expired,
      failingServers: keys.failing,
      alarmedServers: alarms.servers,
      previews,
      failedPreviews: figures.memoryPreviews().failed,
      media: media.items,
      mediaBytes: media.diskBytes,
      keyLookups: keyCacheHits + counters.key_cache_misses,
      keyCacheHits,
      previewRequests: previewCacheHits + preview_store_hits + preview_generated + preview_failures,
      previewCacheHits,
    };
  }

  /** Figures over time, up to the last full minute. */
  series(metrics: readonly MetricName[], range: TimeRange): Promise<MetricSeries[]> {
    return this.options.series(metrics, range);
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
