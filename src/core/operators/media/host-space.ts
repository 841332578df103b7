import type { Database } from '../../store/db.js';
import { onHost } from '../../store/lists/keyset-filter.js';
import { allOf, asTemplate, sql } from '../../store/sql/sql.js';
import { NO_SHARE, sumOf, type Share } from '../overview/totals/media-measure-store.js';

/** What is stored of a host, with those below it when the pattern says so. */
export interface HostSpace extends Share {
  /** False when it is of the latest 5,000 media alone. */
  exact: boolean;
  /** By host name and by user ID, the largest first. */
  hosts: NamedShare[];
  owners: NamedShare[];
}

/** The share of one. Untrusted text. */
export interface NamedShare extends Share {
  name: string;
}

interface Row {
  host: string;
  user_id: string;
  is_meant: number | bigint;
  looked_at: number | bigint;
  items: number | bigint;
  bytes: number | bigint;
  thumbnail_bytes: number | bigint;
}

/** Adding up this many costs 20 ms of processor time on SQLite. */
const LOOKED_AT = 5000;
const SHOWN = 25;

/** Adds up the latest media of hosts; `host` as `readHostPattern` takes it. */
export async function measureHost(database: Database, host: string): Promise<HostSpace> {
  const rows = await groupsOf(database, host);
  const meant = rows.filter((row) => Number(row.is_meant) === 1);
  const lookedAt = rows.reduce((sum, row) => sum + Number(row.looked_at), 0);
  return {
    ...meant.map(shareOf).reduce(sumOf, NO_SHARE),
    exact: lookedAt < LOOKED_AT,
    hosts: sharesBy(meant, 'host'),
    owners: sharesBy(meant, 'user_id'),
  };
}

/** A file that is removed or lost takes nothing. */
function groupsOf({ client }: Database, host: string): Promise<Row[]> {
  const conditions = onHost(host, 'created_ts');
  const served = conditions.filter(({ servedBy }) => servedBy.length > 0).map((each) => each.sql);
  const others = conditions.filter(({ servedBy }) => servedBy.length === 0).map((each) => each.sql);
  const statement = sql`
    SELECT host, user_id, is_meant, COUNT(*) AS looked_at, SUM(is_there) AS items,
      SUM(CASE WHEN missing_since_ts IS NULL THEN is_there * size_bytes ELSE 0 END) AS bytes,
      SUM(CASE WHEN is_meant = 1 AND is_there = 1 THEN (SELECT COALESCE(SUM(t.size_bytes), 0) FROM media_thumbnail t
        WHERE t.media_id = latest.media_id) ELSE 0 END) AS thumbnail_bytes
    FROM (SELECT media_id, host, user_id, size_bytes, missing_since_ts,
        CASE WHEN file_removed_ts IS NULL THEN 1 ELSE 0 END AS is_there,
        CASE WHEN ${allOf(others)} THEN 1 ELSE 0 END AS is_meant
      FROM media WHERE ${allOf(served)} ORDER BY created_ts DESC LIMIT ${LOOKED_AT}) AS latest
    GROUP BY host, user_id, is_meant`;
  return client.$queryRaw<Row[]>(asTemplate(statement), ...statement.values);
}

function shareOf({ items, bytes, thumbnail_bytes }: Row): Share {
  const thumbnailBytes = Number(thumbnail_bytes);
  return { items: Number(items), bytes: Number(bytes) + thumbnailBytes, thumbnailBytes };
}

function sharesBy(rows: readonly Row[], column: 'host' | 'user_id'): NamedShare[] {
  const shares = new Map<string, Share>();
  for (const row of rows) shares.set(row[column], sumOf(shares.get(row[column]) ?? NO_SHARE, shareOf(row)));
  return [...shares]
    .map(([name, share]) => ({ name, ...share }))
    .filter(({ items }) => items > 0)
    .toSorted((left, right) => right.bytes - left.bytes)
    .slice(0, SHOWN);
}
