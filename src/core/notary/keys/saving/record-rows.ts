import { CLOCKS_APART_MS } from '../../../base/clock.js';
import { toColumnTs } from '../../key-record/column-ts.js';
import type { AcceptedRecord } from '../../key-record/key-record.js';
import { type InsertRow, insertReturning, insertRows } from '../../../store/sql/insert-rows.js';
import type { SqlRunner } from '../../../store/sql/plain-sql.js';
import { listOf, paddedNames, sql } from '../../../store/sql/sql.js';

/** A fetched and accepted record, ready to be stored. */
export interface FetchedRecord {
  record: AcceptedRecord;
  /** The bytes as the origin published them. */
  published: Buffer;
  /** When the request was sent, POSIX ms; becomes the record's time added (SPEC §4.4.4). */
  fetchedTs: number;
}

/** One record to save; one that was overtaken does not renew the time added of an equal one. */
export interface RecordSave extends FetchedRecord {
  isOvertaken: boolean;
}

const STORED_ALREADY = 'ON CONFLICT (server_name, sha256) DO';

/** Where a record is stored. */
export interface SavedRecord {
  id: number;
  /** Whether it had not been stored before. */
  isNew: boolean;
}

/**
 * Stores records of different servers, inside the caller's transaction; of one that is stored already only the
 * time added is renewed. Returns them by server name.
 */
export async function saveRecords(
  runner: SqlRunner,
  saves: readonly RecordSave[],
): Promise<Map<string, SavedRecord>> {
  const target = { table: 'key_record', conflict: `${STORED_ALREADY} NOTHING` };
  const added = await insertReturning(runner, target, saves.map(rowOf));
  const saved = new Map(added.map(({ id, serverName }) => [serverName, { id, isNew: true }]));
  for (const isOvertaken of [false, true]) {
    const stored = saves.filter(
      (save) => save.isOvertaken === isOvertaken && !saved.has(save.record.serverName),
    );
    const lastSeen = isOvertaken ? 'key_record.last_seen_ts' : 'excluded.last_seen_ts';
    const renewal = {
      table: 'key_record',
      conflict: `${STORED_ALREADY} UPDATE SET last_seen_ts = ${lastSeen}`,
    };
    for (const { id, serverName } of await insertReturning(runner, renewal, stored.map(rowOf)))
      saved.set(serverName, { id, isNew: false });
  }
  return saved;
}

function rowOf({ record, published, fetchedTs }: RecordSave): InsertRow {
  const seenTs = BigInt(fetchedTs);
  return {
    server_name: record.serverName,
    sha256: record.sha256,
    published: new Uint8Array(published),
    valid_until_ts: toColumnTs(record.validUntilTs),
    first_seen_ts: seenTs,
    last_seen_ts: seenTs,
  };
}

/** Which record of a server is the newest from some time on; one row of newest_record. */
export interface NewestRecord {
  serverName: string;
  recordId: number;
  /** POSIX ms. */
  fromTs: number;
}

/** Notes that other records than before are the newest of their servers, inside the caller's transaction. */
export function appendNewest(runner: SqlRunner, changes: readonly NewestRecord[]): Promise<void> {
  const rows = changes.map(({ serverName, recordId, fromTs }) => ({
    server_name: serverName,
    record_id: recordId,
    from_ts: BigInt(fromTs),
  }));
  return insertRows(runner, { table: 'newest_record' }, rows);
}

/**
 * Notes what is the newest of servers whose newest record was deleted, inside the transaction that did: a record that
 * still leads to one of their keys, or none.
 */
export async function appendNewestLeft(
  runner: SqlRunner,
  serverNames: readonly string[],
  { deletedIds, ts }: { deletedIds: readonly number[]; ts: number },
): Promise<void> {
  if (serverNames.length === 0) return;
  await runner.write(sql`INSERT INTO newest_record (server_name, record_id, from_ts)
    SELECT s.server_name, (SELECT k.record_id FROM verify_key k WHERE k.server_name = s.server_name
      ORDER BY k.last_seen_ts DESC, k.record_id DESC LIMIT 1), CAST(${BigInt(ts)} AS BIGINT)
    FROM remote_server s WHERE s.server_name IN (${listOf(serverNames)}) AND (
      SELECT n.record_id FROM newest_record n WHERE n.server_name = s.server_name
      ORDER BY n.from_ts DESC, n.id DESC LIMIT 1) IN (${listOf(deletedIds)})`);
}

/** Names of one statement. */
const MAX_NAMES = 32;

/**
 * Brings what remote_server repeats of a server's keys in line with them, inside the caller's transaction: times of
 * the newest record and the number of key IDs. Records that no key ID leads to any more do not count.
 */
export async function updateSummaries(runner: SqlRunner, serverNames: readonly string[]): Promise<void> {
  for (let at = 0; at < serverNames.length; at += MAX_NAMES) {
    const names = paddedNames(serverNames.slice(at, at + MAX_NAMES));
    await runner.write(sql`UPDATE remote_server SET
        key_count = (SELECT COUNT(*) FROM verify_key k WHERE k.server_name = remote_server.server_name),
        (added_ts, valid_until_ts, due_ts) = (
          SELECT r.last_seen_ts, r.valid_until_ts,
            r.last_seen_ts / 2 + r.valid_until_ts / 2 + (r.last_seen_ts % 2 + r.valid_until_ts % 2) / 2
          FROM verify_key k JOIN key_record r ON r.id = k.record_id
          WHERE k.server_name = remote_server.server_name
          ORDER BY r.last_seen_ts DESC, r.id DESC LIMIT 1)
      WHERE server_name IN (${listOf(names)})`);
  }
}

/** A fetched record with what is stored of the keys of its server. */
interface FetchOfKnown {
  fetched: FetchedRecord;
  known: readonly { lastSeenTs: bigint }[];
}

/**
 * Whether another instance stored a later fetch of the server meanwhile. After a clock was set back a fetch is the
 * newest all the same.
 */
export function wasOvertaken({ fetched: { fetchedTs }, known }: FetchOfKnown): boolean {
  return known.some(({ lastSeenTs }) => {
    const aheadMs = Number(lastSeenTs) - fetchedTs;
    return aheadMs > 0 && aheadMs <= CLOCKS_APART_MS;
  });
}

/**
 * Dates what comes from a clock that was set back to before a fetch that was not overtaken, the latest just before it
 * and the rest as far apart as they were, inside the caller's transaction: the newest record is the one seen last.
 * Nothing is written when nothing lies ahead.
 */
export async function dateBack(runner: SqlRunner, { fetched, known }: FetchOfKnown): Promise<void> {
  const { fetchedTs, record } = fetched;
  // Each record that was seen led a key to itself, so that the latest is among these.
  const latestTs = known.reduce((latest, { lastSeenTs }) => Math.max(latest, Number(lastSeenTs)), 0);
  const aheadMs = latestTs - fetchedTs;
  if (aheadMs <= CLOCKS_APART_MS) return;
  const backMs = BigInt(aheadMs + 1);
  // What another instance stores at this moment is not so far ahead.
  const aheadFromTs = BigInt(fetchedTs + CLOCKS_APART_MS + 1);
  const change = sql`SET last_seen_ts = last_seen_ts - ${backMs},
    first_seen_ts = CASE WHEN first_seen_ts >= ${aheadFromTs} THEN first_seen_ts - ${backMs}
      WHEN first_seen_ts > last_seen_ts - ${backMs} THEN last_seen_ts - ${backMs} ELSE first_seen_ts END
    WHERE server_name = ${record.serverName} AND last_seen_ts >= ${aheadFromTs}`;
  await runner.write(sql`UPDATE key_record ${change}`);
  await runner.write(sql`UPDATE verify_key ${change}`);
  await runner.write(sql`UPDATE newest_record SET from_ts = from_ts - ${backMs}
    WHERE server_name = ${record.serverName} AND from_ts >= ${aheadFromTs}`);
}
