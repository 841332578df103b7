import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Database } from '../../../store/db.js';

/** Sums over a group of media. */
export interface Share {
  items: number;
  bytes: number;
}

/** What measuring all media yields. */
export type MediaMeasurement = ReturnType<typeof emptyMeasurement>;

/** Sums over all media. */
export type MediaSums = Omit<MediaMeasurement, 'byType' | 'byDay' | 'byHost'>;

interface MediaRow {
  media_id: string;
  content_type: string;
  host: string;
  created_ts: bigint | number;
  size_bytes: number;
  is_missing: boolean | number;
  is_orphan: boolean | number;
}

interface ThumbnailSums {
  items: bigint | number;
  bytes: bigint | number | null;
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
    const thumbnails = await thumbnailSums(database, after, last.media_id);
    sums.thumbnails += Number(thumbnails?.items ?? 0);
    sums.thumbnailBytes += Number(thumbnails?.bytes ?? 0);
    after = last.media_id;
    await nextTurn();
  }
}

function mediaWindow({ client }: Database, after: string): Promise<MediaRow[]> {
  return client.$queryRaw<MediaRow[]>`
    SELECT m.media_id, m.content_type, m.host, m.created_ts, m.size_bytes,
      CASE WHEN m.missing_since_ts IS NULL THEN 0 ELSE 1 END AS is_missing,
      CASE WHEN EXISTS (SELECT 1 FROM preview_cache p WHERE p.media_id = m.media_id)
        OR EXISTS (SELECT 1 FROM preview_cache p WHERE p.image_media_id = m.media_id) THEN 0 ELSE 1 END AS is_orphan
    FROM media m
    WHERE m.media_id > ${after} AND m.file_removed_ts IS NULL
    ORDER BY m.media_id LIMIT ${WINDOW_ROWS}`;
}

async function thumbnailSums(
  { client }: Database,
  after: string,
  last: string,
): Promise<ThumbnailSums | undefined> {
  const rows = await client.$queryRaw<ThumbnailSums[]>`
    SELECT COUNT(*) AS items, SUM(size_bytes) AS bytes FROM media_thumbnail
    WHERE media_id > ${after} AND media_id <= ${last}`;
  return rows[0];
}

function emptyMeasurement() {
  return {
    items: 0,
    bytes: 0,
    thumbnails: 0,
    thumbnailBytes: 0,
    /** Media that no stored preview names. */
    orphans: 0,
    missingFiles: 0,
    byType: new Map<string, Share>(),
    /** By UTC date of storing. */
    byDay: new Map<string, Share>(),
    byHost: new Map<string, Share>(),
  };
}

function addRow(sums: MediaMeasurement, row: MediaRow): void {
  const bytes = row.size_bytes;
  sums.items += 1;
  sums.bytes += bytes;
  sums.orphans += Number(row.is_orphan);
  sums.missingFiles += Number(row.is_missing);
  addShare(sums.byType, plainType(row.content_type), bytes);
  addShare(sums.byDay, new Date(Number(row.created_ts)).toISOString().slice(0, 10), bytes);
  addShare(sums.byHost, row.host, bytes);
}

function addShare(shares: Map<string, Share>, name: string, bytes: number): void {
  const key = shares.has(name) || shares.size < MAX_GROUPS ? name : OTHERS;
  const share = shares.get(key) ?? { items: 0, bytes: 0 };
  shares.set(key, { items: share.items + 1, bytes: share.bytes + bytes });
}

/** `text/html; charset=utf-8` is `text/html`. */
function plainType(contentType: string): string {
  return (contentType.split(';')[0] ?? '').trim().toLowerCase().slice(0, 100);
}
