import { HOUR_MS } from '../../base/clock.js';
import type { PreviewCache } from '../../preview/pipeline/preview-cache.js';
import type { Database } from '../../store/db.js';
import type { InstanceStore } from './instance-store.js';
import type { ReadSeries, ProcessCounters } from './series/metric-store.js';

/** What the first page of the operators' side shows. */
export interface Overview {
  process: { version: string; startedTs: number };
  counts: StoredCounts;
  /** Counters since the start of the process. */
  counters: () => Promise<ProcessCounters>;
  /** Figures over time, up to the last full minute. */
  series: ReadSeries;
  instances: InstanceStore;
  previews: PreviewCache;
}

/** How much there is of everything; requests and cache hits are those of this process since its start. */
export async function totalsOf({ counts, counters, previews }: Overview) {
  const { key_cache_hits: keyCacheHits, preview_memory_hits: previewCacheHits, ...others } = await counters();
  const { key_cache_misses, preview_store_hits, preview_generated, preview_failures } = others;
  return {
    ...(await counts.totals()),
    failedPreviews: previews.failures().length,
    keyLookups: keyCacheHits + key_cache_misses,
    keyCacheHits,
    previewRequests: previewCacheHits + preview_store_hits + preview_generated + preview_failures,
    previewCacheHits,
  };
}

/** Counting takes at most this share of the time. */
const TIME_SHARE = 0.01;
/** What is counted faster is kept no longer than `FRESH_MS`: the first count, right after a start, is a slow one. */
const QUICK_MS = 500;
const FRESH_MS = 10_000;
const MAX_SHARES = 20;
const ON_DISK = { fileRemovedTs: null, missingSinceTs: null };

/** What there is of everything; large tables are counted less often. */
export class StoredCounts {
  /** Rows and bytes in the database. */
  readonly totals: () => ReturnType<typeof countTotals>;
  /** Part of them, for what is recorded each minute. */
  readonly mediaBytes: () => Promise<number>;
  /** What takes space, largest first. */
  readonly space: () => ReturnType<typeof measureSpace>;

  constructor({ client }: Database, nowTs: () => number) {
    this.mediaBytes = kept(() => sumBytes(client));
    this.totals = kept(async () => countTotals(client, nowTs(), await this.mediaBytes()));
    this.space = kept(() => measureSpace(client));
  }
}

type Client = Database['client'];

async function countTotals(client: Client, nowTs: number, mediaBytes: number) {
  const { remoteServer, previewCache, media } = client;
  return {
    servers: await remoteServer.count(),
    expiredServers: await remoteServer.count({ where: { validUntilTs: { lte: BigInt(nowTs) } } }),
    failingServers: await remoteServer.count({ where: { failCount: { gt: 0 } } }),
    previews: await previewCache.count(),
    media: await media.count({ where: { fileRemovedTs: null } }),
    mediaBytes,
  };
}

async function sumBytes({ media, mediaThumbnail }: Client): Promise<number> {
  const files = await media.aggregate({ where: ON_DISK, _sum: { sizeBytes: true } });
  const thumbnails = await mediaThumbnail.aggregate({ _sum: { sizeBytes: true } });
  return (files._sum.sizeBytes ?? 0) + (thumbnails._sum.sizeBytes ?? 0);
}

async function measureSpace(client: Client) {
  const { media } = client;
  const largest = {
    where: ON_DISK,
    _count: { _all: true },
    _sum: { sizeBytes: true },
    orderBy: { _sum: { sizeBytes: 'desc' } },
    take: MAX_SHARES,
  } as const;
  const types = await media.groupBy({ by: 'contentType', ...largest });
  const hosts = await media.groupBy({ by: 'host', ...largest });
  const owners = await media.groupBy({ by: 'userId', ...largest });
  return {
    diskBytes: await sumBytes(client),
    byType: types.map(({ contentType, ...group }) => shareOf(contentType, group)),
    byHost: hosts.map(({ host, ...group }) => shareOf(host, group)),
    byOwner: owners.map(({ userId, ...group }) => shareOf(userId, group)),
  };
}

function shareOf(
  name: string,
  { _count, _sum }: { _count: { _all: number }; _sum: { sizeBytes: number | null } },
) {
  return { name, items: _count._all, bytes: _sum.sizeBytes ?? 0 };
}

/** The result of `count`, kept for a hundred times as long as it took. */
function kept<Value>(count: () => Promise<Value>): () => Promise<Value> {
  let known: Promise<Value> | null = null;
  let untilMs = 0;
  return () => {
    const startedMs = performance.now();
    if (known !== null && startedMs < untilMs) return known;
    untilMs = Infinity;
    known = count();
    const settle = (): void => {
      const tookMs = performance.now() - startedMs;
      untilMs = startedMs + Math.min(tookMs / TIME_SHARE, tookMs < QUICK_MS ? FRESH_MS : HOUR_MS);
    };
    void known.then(settle, settle);
    return known;
  };
}
