import { CLOCKS_APART_MS } from '../../../base/clock.js';
import {
  type JsonObject,
  type JsonValue,
  isJsonInteger,
  isJsonObject,
} from '../../../base/json/json-value.js';
import { storableText } from '../../../base/text/storable-text.js';
import { toColumnTs } from '../../key-record/column-ts.js';
import type { AcceptedRecord } from '../../key-record/key-record.js';
import { MAX_KEY_ID_LENGTH } from '../../key-record/record-keys.js';
import type { KnownKey } from '../key-changes.js';
import { type InsertRow, type InsertTarget, insertRows } from '../../../store/sql/insert-rows.js';
import type { SqlRunner } from '../../../store/sql/plain-sql.js';
import { listOf, paddedNames, sql } from '../../../store/sql/sql.js';

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

/** Every key id a record lists, of algorithms we do not know too: all of them stay answerable. */
export function listedKeys(
  record: Pick<AcceptedRecord, 'record' | 'verifyKeys' | 'oldVerifyKeys'>,
): Map<string, KnownKey> {
  const keys = new Map<string, KnownKey>();
  for (const [keyId, listed] of members(record.record['old_verify_keys'])) {
    const expiredTs = isJsonInteger(listed['expired_ts']) ? listed['expired_ts'] : 0;
    keys.set(keyId, { keyId, publicKey: textOf(listed['key']), expiredTs });
  }
  for (const [keyId, key] of record.oldVerifyKeys) keys.set(keyId, { keyId, ...key });
  // An id listed both ways is a current key.
  for (const [keyId, listed] of members(record.record['verify_keys'])) {
    keys.set(keyId, { keyId, publicKey: textOf(listed['key']), expiredTs: null });
  }
  for (const [keyId, key] of record.verifyKeys) keys.set(keyId, { keyId, ...key, expiredTs: null });
  return keys;
}

const CONTROL_CHARACTER = /\p{Cc}/u;

/** Ids that no index can hold are not indexed; a record may list them for algorithms we do not know. */
function members(value: JsonValue | undefined): [string, JsonObject][] {
  if (!isJsonObject(value)) return [];
  return Object.entries(value).filter(
    (entry): entry is [string, JsonObject] =>
      isJsonObject(entry[1]) && entry[0].length <= MAX_KEY_ID_LENGTH && !CONTROL_CHARACTER.test(entry[0]),
  );
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? storableText(value) : '';
}

/**
 * Records of one server that stay answerable. Without a bound an origin that renames its keys all the time could
 * make the answer for "all keys" as large as it likes.
 */
const MAX_ANSWERABLE_RECORDS = 64;

/** A key id that the newest record no longer lists, with the record it points to. */
export interface VanishedKey {
  recordId: number;
  firstSeenTs: bigint;
  lastSeenTs: bigint;
}

/**
 * Takes vanished keys out of the index, inside the caller's transaction, when they lead to more records than are
 * answered: those that were in use for the shortest time, so that nobody who got hold of an origin for a while can
 * push out the keys it really used. The records themselves stay in the history.
 */
export async function forgetBriefestVanished(
  runner: SqlRunner,
  serverName: string,
  vanished: readonly VanishedKey[],
): Promise<void> {
  const usedMs = new Map<number, bigint>();
  for (const { recordId, firstSeenTs, lastSeenTs } of vanished) {
    const longest = usedMs.get(recordId) ?? -1n;
    const used = lastSeenTs - firstSeenTs;
    usedMs.set(recordId, used > longest ? used : longest);
  }
  // One place is the newest record's.
  const surplus = usedMs.size - (MAX_ANSWERABLE_RECORDS - 1);
  if (surplus <= 0) return;
  const briefest = [...usedMs].toSorted(([idA, a], [idB, b]) => (a === b ? idA - idB : a < b ? -1 : 1));
  const recordIds = briefest.slice(0, surplus).map(([recordId]) => recordId);
  await runner.write(
    sql`DELETE FROM verify_key WHERE server_name = ${serverName} AND record_id IN (${listOf(recordIds)})`,
  );
}
