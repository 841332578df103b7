import { CLOCKS_APART_MS } from '../../../base/clock.js';
import { insertRows, type InsertRow, type InsertTarget } from '../../../store/sql/insert-rows.js';
import type { SqlRunner } from '../../../store/sql/plain-sql.js';
import { listOf, paddedNames, sql } from '../../../store/sql/sql.js';
import { toColumnTs } from '../../key-record/column-ts.js';
import type { KnownKey } from '../key-changes.js';

/** A row of verify_key. */
export interface VerifyKeyRow extends KnownKey {
  recordId: number;
  expiredTs: bigint | null;
  firstSeenTs: bigint;
  lastSeenTs: bigint;
}

/** The keys of one server's record, and the rows that are stored of the server. */
export interface KeySave {
  serverName: string;
  recordId: number;
  fetchedTs: number;
  known: readonly VerifyKeyRow[];
  current: ReadonlyMap<string, KnownKey>;
}

/** The rows of each server, inside the caller's transaction. */
export async function findKeyRows(
  runner: SqlRunner,
  serverNames: readonly string[],
): Promise<Map<string, VerifyKeyRow[]>> {
  const found = new Map(serverNames.map((serverName): [string, VerifyKeyRow[]] => [serverName, []]));
  const rows =
    await runner.query<KeyColumns>(sql`SELECT server_name, key_id, record_id, public_key, expired_ts,
    first_seen_ts, last_seen_ts FROM verify_key WHERE server_name IN (${listOf(paddedNames(serverNames))})`);
  for (const row of rows) found.get(row.server_name)?.push(keyRowOf(row));
  return found;
}

interface KeyColumns {
  server_name: string;
  key_id: string;
  record_id: number;
  public_key: string;
  expired_ts: number | string | null;
  first_seen_ts: number | string;
  last_seen_ts: number | string;
}

function keyRowOf(row: KeyColumns): VerifyKeyRow {
  return {
    keyId: row.key_id,
    recordId: row.record_id,
    publicKey: row.public_key,
    expiredTs: row.expired_ts === null ? null : BigInt(row.expired_ts),
    firstSeenTs: BigInt(row.first_seen_ts),
    lastSeenTs: BigInt(row.last_seen_ts),
  };
}

const KEYS: InsertTarget = { table: 'verify_key' };
/** The engine compares once more: a later fetch may have been stored since the rows were read. */
const LISTED_AGAIN: InsertTarget = {
  ...KEYS,
  conflict: `ON CONFLICT (server_name, key_id) DO UPDATE SET record_id = excluded.record_id,
    public_key = excluded.public_key, expired_ts = excluded.expired_ts, last_seen_ts = excluded.last_seen_ts
    WHERE verify_key.last_seen_ts <= excluded.last_seen_ts
      OR verify_key.last_seen_ts > excluded.last_seen_ts + ${CLOCKS_APART_MS}`,
};

/** Points every listed key id to its record, inside the caller's transaction. */
export async function saveKeys(runner: SqlRunner, saves: readonly KeySave[]): Promise<void> {
  const [added, listed]: [InsertRow[], InsertRow[]] = [[], []];
  for (const { serverName, recordId, fetchedTs, known, current } of saves) {
    const seenTs = BigInt(fetchedTs);
    const knownIds = new Set(known.map((row) => row.keyId));
    for (const { keyId, publicKey, expiredTs } of current.values()) {
      const expired = expiredTs === null ? null : toColumnTs(expiredTs);
      (knownIds.has(keyId) ? listed : added).push({
        server_name: serverName,
        key_id: keyId,
        record_id: recordId,
        public_key: publicKey,
        expired_ts: expired,
        first_seen_ts: seenTs,
        last_seen_ts: seenTs,
      });
    }
  }
  // A key that another instance added meanwhile is a conflict: what is news has to be found out again.
  await insertRows(runner, KEYS, added);
  await insertRows(runner, LISTED_AGAIN, listed);
}
