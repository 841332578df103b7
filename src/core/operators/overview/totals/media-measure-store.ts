import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Database } from '../../../store/db.js';

/** Sums over a group of media. */
export interface Share {
  items: number;
  /** On disk: files and their thumbnails. */
  bytes: number;
  /** The part of thumbnails. */
  thumbnailBytes: number;
}

export const NO_SHARE: Share = { items: 0, bytes: 0, thumbnailBytes: 0 };

/** What measuring all media yields. */
export type MediaMeasurement = ReturnType<typeof emptyMeasurement>;

type MediaRow = Awaited<ReturnType<typeof mediaWindow>>[number];

const WINDOW_ROWS = 500;
/** Hosts and types are untrusted text: beyond this many they share one entry. */
const MAX_GROUPS = 10_000;
export const OTHERS = 'others';

/** Counts all media in windows that leave the event loop free in between. Rejects when `signal` is aborted. */
export async function measureMedia(database: Database, signal: AbortSignal): Promise<MediaMeasurement> {
  const sums = emptyMeasurement();
  for (let after = ''; ;) {
    signal.throwIfAborted();
    const rows = await mediaWindow(database, after);
    const last = rows.at(-1);
    if (last === undefined) return sums;
    for (const row of rows) addRow(sums, row);
    after = last.mediaId;
    await nextTurn();
  }
}

function mediaWindow({ client }: Database, after: string) {
  return client.media.findMany({
    where: { mediaId: { gt: after }, fileRemovedTs: null },
    orderBy: { mediaId: 'asc' },
    take: WINDOW_ROWS,
    select: {
      mediaId: true,
      contentType: true,
      host: true,
      userId: true,
      createdTs: true,
      sizeBytes: true,
      missingSinceTs: true,
      thumbnails: { select: { sizeBytes: true } },
    },
  });
}

function emptyMeasurement() {
  return {
    items: 0,
    bytes: 0,
    thumbnailBytes: 0,
    byType: new Map<string, Share>(),
    /** By UTC date of storing. */
    byDay: new Map<string, Share>(),
    byHost: new Map<string, Share>(),
    byOwner: new Map<string, Share>(),
  };
}

function addRow(sums: MediaMeasurement, row: MediaRow): void {
  const thumbnailBytes = row.thumbnails.reduce((bytes, { sizeBytes }) => bytes + sizeBytes, 0);
  // A file that is gone takes nothing.
  const fileBytes = row.missingSinceTs === null ? row.sizeBytes : 0;
  const share = { items: 1, bytes: fileBytes + thumbnailBytes, thumbnailBytes };
  sums.items += 1;
  sums.bytes += fileBytes;
  sums.thumbnailBytes += thumbnailBytes;
  addShare(sums.byType, plainType(row.contentType), share);
  addShare(sums.byDay, new Date(Number(row.createdTs)).toISOString().slice(0, 10), share);
  addShare(sums.byHost, row.host, share);
  addShare(sums.byOwner, row.userId, share);
}

function addShare(shares: Map<string, Share>, name: string, share: Share): void {
  const key = shares.has(name) || shares.size < MAX_GROUPS ? name : OTHERS;
  shares.set(key, sumOf(shares.get(key) ?? NO_SHARE, share));
}

export function sumOf(one: Share, other: Share): Share {
  return {
    items: one.items + other.items,
    bytes: one.bytes + other.bytes,
    thumbnailBytes: one.thumbnailBytes + other.thumbnailBytes,
  };
}

/** `text/html; charset=utf-8` is `text/html`. */
function plainType(contentType: string): string {
  return (contentType.split(';')[0] ?? '').trim().toLowerCase().slice(0, 100);
}
