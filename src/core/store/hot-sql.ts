import { join, Sql, sqltag as sql } from '@prisma/client/runtime/client';

import type {
  Db,
  DbTransaction,
  MediaThumbnailRow,
  PreviewRow,
  RemoteServerRow,
  VerifyKeyRow,
} from './db.js';

/**
 * Statements that are not written with Prisma's models, each with its reason: processor time of one call beside that
 * with models (SQLite, warm, in turns on the same machine), or what models cannot say.
 */

export interface CurrentRecordRow {
  id: number;
  server_name: string;
  /** `null` in the only row when all records together exceed the limit. */
  published: Uint8Array | null;
  last_seen_ts: bigint;
}

/**
 * Key look-up: the records that some key ID of the servers leads to, oldest first. Both engines know the length of
 * bytes without reading them.
 */
export function currentRecords(
  client: Db | DbTransaction,
  serverNames: readonly string[],
  maxBytes: number,
): Promise<CurrentRecordRow[]> {
  return client.$queryRaw<CurrentRecordRow[]>(sql`WITH wanted AS (
      SELECT id, length(published) AS bytes FROM key_record
      WHERE id IN (SELECT record_id FROM verify_key WHERE server_name IN (${join(padded(serverNames))}))),
    total AS (SELECT COALESCE(SUM(bytes), 0) AS bytes, COUNT(*) AS records FROM wanted)
    SELECT r.id AS id, r.server_name AS server_name, r.published AS published, r.last_seen_ts AS last_seen_ts
    FROM total LEFT JOIN (wanted JOIN key_record r ON r.id = wanted.id) ON total.bytes <= ${maxBytes}
    WHERE total.records > 0 ORDER BY r.last_seen_ts, r.id`);
}

/** A row by the names of its fields; those of one call have the same ones. */
export type HotRow = Readonly<
  Record<string, string | number | bigint | boolean | Uint8Array | object | null>
>;

const MAX_ROWS = 50;

/**
 * Rows of a fetched record, of the log, of media and of a preview. Those of a record take 1.7 to 2.2 ms, with models 5
 * to 6; one of media or of a preview takes 0.11 ms, with models 0.24. Of many rows each costs Prisma's models 0.1 ms.
 * Names and `conflict` become SQL as they are: never untrusted text.
 * Resolves to what `conflict` returns.
 */
export async function insertRows<Returned = never>(
  client: Db | DbTransaction,
  { table, conflict = '' }: { table: string; conflict?: string },
  rows: readonly HotRow[],
): Promise<Returned[]> {
  const returned: Returned[] = [];
  const names = Object.keys(rows[0] ?? {});
  for (let at = 0; at < rows.length; at += MAX_ROWS) {
    const piece = rows.slice(at, at + MAX_ROWS);
    const texts = insertTexts({ table, conflict }, names, piece.length);
    const values = piece.flatMap((row) => names.map((name) => toColumn(row[name] ?? null)));
    const statement = new Sql(texts, values);
    if (conflict.includes('RETURNING')) returned.push(...(await client.$queryRaw<Returned[]>(statement)));
    else await client.$executeRaw(statement);
  }
  return returned;
}

/** For each number of rows of each table. */
const insertTextsKept = new Map<string, readonly string[]>();

/** What stands between the values of an insertion. */
function insertTexts(
  { table, conflict }: { table: string; conflict: string },
  names: readonly string[],
  count: number,
): readonly string[] {
  const key = `${count} ${table} ${names.join()} ${conflict}`;
  const kept = insertTextsKept.get(key);
  if (kept !== undefined) return kept;
  const columns = names.map((name) => name.replaceAll(/[A-Z]/g, (sign) => `_${sign.toLowerCase()}`));
  const betweenRows = Array.from({ length: count }, () => '), (');
  const texts = betweenRows.flatMap((text) => [text, ...columns.slice(1).map(() => ', ')]);
  texts[0] = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (`;
  texts.push(`) ${conflict}`);
  insertTextsKept.set(key, texts);
  return texts;
}

/** JSON as text. A bigint costs Prisma as much as ten numbers. */
function toColumn(value: HotRow[string]): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  return typeof value === 'object' && value !== null && !(value instanceof Uint8Array)
    ? JSON.stringify(value)
    : value;
}

/** The keys that are stored of servers: part of saving a record, as what their domains have used is. */
export function keysOfServers(tx: DbTransaction, serverNames: readonly string[]): Promise<VerifyKeyRow[]> {
  return tx.$queryRaw<VerifyKeyRow[]>(sql`SELECT server_name AS "serverName", key_id AS "keyId",
    record_id AS "recordId", public_key AS "publicKey", expired_ts AS "expiredTs", first_seen_ts AS "firstSeenTs",
    last_seen_ts AS "lastSeenTs" FROM verify_key WHERE server_name IN (${join(padded(serverNames))})`);
}

export type HealthRow = Omit<
  RemoteServerRow,
  'addedTs' | 'validUntilTs' | 'dueTs' | 'keyCount' | 'alarmSeq' | 'alarmCount'
>;

/** How fetches of servers went, read before each first fetch: 0.06 ms, `findMany` 0.2. */
export function healthOfServers(client: Db, serverNames: readonly string[]): Promise<HealthRow[]> {
  return client.$queryRaw<
    HealthRow[]
  >(sql`SELECT server_name AS "serverName", first_asked_ts AS "firstAskedTs",
    last_fetch_ts AS "lastFetchTs", last_ok_ts AS "lastOkTs", fail_count AS "failCount", next_try_ts AS "nextTryTs",
    last_error_reason AS "lastErrorReason", last_error_message AS "lastErrorMessage"
    FROM remote_server WHERE server_name IN (${join(padded(serverNames))})`);
}

export function usageOfDomains(tx: DbTransaction, domains: readonly string[]) {
  return tx.$queryRaw<{ domain: string; servers: bigint; bytes: bigint }[]>(
    sql`SELECT domain, servers, bytes FROM domain_usage WHERE domain IN (${join(padded(domains))})`,
  );
}

/** After records of servers were deleted: what remote_server repeats of them, for lists. */
export function updateSummary(tx: DbTransaction, serverNames: readonly string[]): Promise<number> {
  return tx.$executeRaw(sql`UPDATE remote_server SET
      key_count = (SELECT COUNT(*) FROM verify_key k WHERE k.server_name = remote_server.server_name),
      (added_ts, valid_until_ts, due_ts) = (
        SELECT r.last_seen_ts, r.valid_until_ts,
          r.last_seen_ts / 2 + r.valid_until_ts / 2 + (r.last_seen_ts % 2 + r.valid_until_ts % 2) / 2
        FROM verify_key k JOIN key_record r ON r.id = k.record_id
        WHERE k.server_name = remote_server.server_name
        ORDER BY r.last_seen_ts DESC, r.id DESC LIMIT 1)
    WHERE server_name IN (${join(padded(serverNames))})`);
}

/** Of each URL the preview that was downloaded last, by the index of its hash. After a start 0.1 ms, `findFirst` 0.4. */
export function newestPreviews(client: Db, urlHashes: readonly string[]): Promise<PreviewRow[]> {
  const wanted = padded(urlHashes).map((urlSha256) => sql`(${urlSha256})`);
  return client.$queryRaw<PreviewRow[]>(sql`
    SELECT p.id, url, response_code AS "responseCode", etag, expires_ts AS "expiresTs", open_graph AS "openGraph",
      media_id AS "mediaId", created_ts AS "createdTs", download_ts AS "downloadTs", is_incomplete AS "isIncomplete"
    FROM (VALUES ${join(wanted)}) AS wanted JOIN preview_cache p ON p.id = (
      SELECT id FROM preview_cache WHERE url_sha256 = column1 ORDER BY download_ts DESC, id DESC LIMIT 1)`);
}

type NewThumbnail = Omit<MediaThumbnailRow, 'mediaId'>;

/**
 * Thumbnails of a media, in place of those of the same size: 0.2 ms, in a transaction with models 1.7.
 * `false`: the media has been removed.
 */
export async function upsertThumbnails(
  client: Db,
  mediaId: string,
  thumbnails: readonly NewThumbnail[],
): Promise<boolean> {
  const values = thumbnails.map(
    ({ width, height, method, contentType, sizeBytes, animated }) =>
      sql`(CAST(${width} AS INTEGER), CAST(${height} AS INTEGER), ${method}, ${contentType},
        CAST(${sizeBytes} AS INTEGER), CAST(${animated} AS BOOLEAN))`,
  );
  const stored = await client.$executeRaw(sql`
    INSERT INTO media_thumbnail (media_id, width, height, method, content_type, size_bytes, animated)
    SELECT media_id, column1, column2, column3, column4, column5, column6
    FROM media, (VALUES ${join(values)}) AS thumbnails
    WHERE media_id = ${mediaId} AND file_removed_ts IS NULL
    ON CONFLICT (media_id, width, height, method, animated)
      DO UPDATE SET content_type = excluded.content_type, size_bytes = excluded.size_bytes`);
  return stored > 0;
}

/** A figure summed over a span of time. */
export interface MetricSpan {
  metric: string;
  /** Start of the span. */
  at: bigint;
  value: number;
}

/** A chart of a month is made of up to 120,000 rows, which Prisma cannot add up. */
export function sumMetricSpans(client: Db, stepMs: number, firstTs: number): Promise<MetricSpan[]> {
  const step = BigInt(stepMs);
  // Instances of one store measure the same media, so a gauge is not summed over them.
  return client.$queryRaw<MetricSpan[]>(sql`
    SELECT metric, ts - ts % ${step} AS at,
      CASE WHEN metric = 'media_bytes' THEN MAX(value) ELSE SUM(value) END AS value
    FROM metric_point WHERE ts >= ${BigInt(firstTs)} GROUP BY 1, 2`);
}

/** POSIX ms by the clock of the PostgreSQL server. */
export async function clockOfPostgresql(client: Db): Promise<number | null> {
  const [row] = await client.$queryRaw<{ ms: number }[]>(
    sql`SELECT CAST(EXTRACT(EPOCH FROM CLOCK_TIMESTAMP()) * 1000 AS DOUBLE PRECISION) AS ms`,
  );
  return row === undefined ? null : Math.round(row.ms);
}

/** Sends a message to all who listen on the channel of PostgreSQL. */
export async function notify(client: Db, channel: string, message: string): Promise<void> {
  await client.$executeRaw(sql`SELECT pg_notify(${channel}, ${message})`);
}

/** Locks the state of the log on PostgreSQL, for which Prisma has no words. `false`: another instance has locked it. */
export async function holdLogState(tx: DbTransaction): Promise<boolean> {
  // A checkpoint must not be seen before it is durable, and an instance that hangs must not hold up the others for good.
  await tx.$queryRaw(sql`SELECT set_config('synchronous_commit', 'on', true),
    set_config('idle_in_transaction_session_timeout', '15s', true)`);
  const rows = await tx.$queryRaw<unknown[]>(
    sql`SELECT id FROM log_state WHERE id = 1 FOR UPDATE SKIP LOCKED`,
  );
  return rows.length > 0;
}

/** The same names, the last one repeated up to 1, 2, 4, … of them, so that the engines know each statement already. */
function padded(names: readonly string[]): string[] {
  const size = 2 ** Math.ceil(Math.log2(Math.max(1, names.length)));
  return Array.from({ length: size }, (_, index) => names[Math.min(index, names.length - 1)] ?? '');
}
