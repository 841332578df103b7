import { HOUR_MS } from '../../base/clock.js';
import type { Database } from '../../store/db.js';

/** Rows and bytes in the database. */
export interface StoredTotals {
  servers: number;
  /** Whose newest record has expired. */
  expiredServers: number;
  /** Whose last fetch failed. */
  failingServers: number;
  previews: number;
  media: number;
  /** Files and thumbnails. */
  mediaBytes: number;
}

export interface SpaceShare {
  /** Content type, host name or user ID. Untrusted text. */
  name: string;
  items: number;
  /** Without thumbnails. */
  bytes: number;
}

/** Largest shares first. */
export interface MediaSpace {
  /** Files and thumbnails. */
  diskBytes: number;
  byType: SpaceShare[];
  byHost: SpaceShare[];
  byOwner: SpaceShare[];
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
  readonly totals: () => Promise<StoredTotals>;
  readonly space: () => Promise<MediaSpace>;

  constructor({ client }: Database, nowTs: () => number) {
    this.totals = kept(() => countTotals(client, nowTs()));
    this.space = kept(() => measureSpace(client));
  }
}

type Client = Database['client'];

async function countTotals(client: Client, nowTs: number): Promise<StoredTotals> {
  const { remoteServer, previewCache, media } = client;
  return {
    servers: await remoteServer.count(),
    expiredServers: await remoteServer.count({ where: { validUntilTs: { lte: BigInt(nowTs) } } }),
    failingServers: await remoteServer.count({ where: { failCount: { gt: 0 } } }),
    previews: await previewCache.count(),
    media: await media.count({ where: { fileRemovedTs: null } }),
    mediaBytes: await sumBytes(client),
  };
}

async function sumBytes({ media, mediaThumbnail }: Client): Promise<number> {
  const files = await media.aggregate({ where: ON_DISK, _sum: { sizeBytes: true } });
  const thumbnails = await mediaThumbnail.aggregate({ _sum: { sizeBytes: true } });
  return (files._sum.sizeBytes ?? 0) + (thumbnails._sum.sizeBytes ?? 0);
}

async function measureSpace(client: Client): Promise<MediaSpace> {
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
): SpaceShare {
  return { name, items: _count._all, bytes: _sum.sizeBytes ?? 0 };
}

/** The result of `count`, kept for a hundred times as long as it took. */
function kept<Value>(count: () => Promise<Value>): () => Promise<Value> {
  let known: { value: Promise<Value>; untilMs: number } | null = null;
  return () => {
    const startedMs = performance.now();
    if (known !== null && startedMs < known.untilMs) return known.value;
    const made = { value: count(), untilMs: startedMs + HOUR_MS };
    known = made;
    const settle = (): void => {
      const endedMs = performance.now();
      const tookMs = endedMs - startedMs;
      made.untilMs = endedMs + Math.min(tookMs / TIME_SHARE, tookMs < QUICK_MS ? FRESH_MS : HOUR_MS);
    };
    void made.value.then(settle, settle);
    return made.value;
  };
}
