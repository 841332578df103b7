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

interface MediaRow {
  media_id: string;
  content_type: string;
  host: string;
  created_ts: bigint | number;
  size_bytes: number;
  thumbnail_bytes: bigint | number;
  is_missing: boolean | number;
}

const WINDOW_ROWS = 1000;
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
    after = last.media_id;
    await nextTurn();
  }
}

function mediaWindow({ client }: Database, after: string): Promise<MediaRow[]> {
  return client.$queryRaw<MediaRow[]>`
    SELECT m.media_id, m.content_type, m.host, m.created_ts, m.size_bytes,
      (SELECT COALESCE(SUM(t.size_bytes), 0) FROM media_thumbnail t WHERE t.media_id = m.media_id) AS thumbnail_bytes,
      CASE WHEN m.missing_since_ts IS NULL THEN 0 ELSE 1 END AS is_missing
    FROM media m
    WHERE m.media_id > ${after} AND m.file_removed_ts IS NULL
    ORDER BY m.media_id LIMIT ${WINDOW_ROWS}`;
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
  };
}

function addRow(sums: MediaMeasurement, row: MediaRow): void {
  const thumbnailBytes = Number(row.thumbnail_bytes);
  // A file that is gone takes nothing.
  const fileBytes = Number(row.is_missing) === 1 ? 0 : row.size_bytes;
  const share = { items: 1, bytes: fileBytes + thumbnailBytes, thumbnailBytes };
  sums.items += 1;
  sums.bytes += fileBytes;
  sums.thumbnailBytes += thumbnailBytes;
  addShare(sums.byType, plainType(row.content_type), share);
  addShare(sums.byDay, new Date(Number(row.created_ts)).toISOString().slice(0, 10), share);
  addShare(sums.byHost, row.host, share);
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
