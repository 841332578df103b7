import type { Database } from '../../store/db.js';
import type { CappedCount, Page } from '../../store/lists/keyset-page.js';
import type { KeysetListing } from '../../store/lists/keyset-walk.js';
import { countLists, findFirstPages } from '../../store/lists/many-lists.js';
import { RecordList, withRecords } from '../../store/lists/record-list.js';
import type { SqlRunner } from '../../store/sql/plain-sql.js';
import { listOf, sql, type Sql } from '../../store/sql/sql.js';

/** A key of a server and the newest record that lists it; a row of verify_key with its record. */
export interface KeyEntry {
  serverName: string;
  keyId: string;
  recordId: number;
  /** Base64 as published. */
  publicKey: string;
  /** Set when the record lists it under old_verify_keys; POSIX ms, clamped to 2^53-1. */
  expiredTs: number | null;
  /** Time added of the record (SPEC §4.4.4), POSIX ms. */
  addedTs: number;
  /** Of the record, clamped to 2^53-1. */
  validUntilTs: number;
  /** Half-way point of the record. */
  dueTs: number;
}

/** The keys of a server that are answered, by key ID. */
export function createKeyList(database: Database, serverName: string): RecordList<null, string, KeyEntry> {
  return new RecordList(database, {
    listing: () => keyListing(serverName),
    readKey: String,
    find: (keyIds) =>
      findEntries(database.plain, sql`k.server_name = ${serverName} AND k.key_id IN (${listOf(keyIds)})`),
    keyOf: ({ keyId }) => keyId,
  });
}

/** The first pages of these lists of several servers, in the order of the names. */
export async function findFirstKeys(
  database: Database,
  serverNames: readonly string[],
  size: number,
): Promise<Page<KeyEntry>[]> {
  const pages = await findFirstPages(database, serverNames.map(keyListing), { size });
  const keyIds = new Set(pages.flatMap(({ rows }) => rows.map(({ row }) => String(row.keyset_key))));
  const entries = await findEntries(
    database.plain,
    sql`k.server_name IN (${listOf(serverNames)}) AND k.key_id IN (${listOf([...keyIds])})`,
  );
  const found = new Map(entries.map((entry) => [`${entry.serverName} ${entry.keyId}`, entry]));
  return pages.map((page, index) =>
    withRecords(page, ({ keyset_key: key }) => found.get(`${serverNames[index]} ${String(key)}`)),
  );
}

/** How many keys each of several servers has, in the order of the names. */
export function countKeys(database: Database, serverNames: readonly string[]): Promise<CappedCount[]> {
  return countLists(database, serverNames.map(keyListing));
}

function keyListing(serverName: string): KeysetListing {
  return {
    table: 'verify_key',
    columns: [],
    sort: { column: 'key_id', kind: 'text', nullable: false, direction: 'asc' },
    key: { column: 'key_id', kind: 'text' },
    indexed: [sql`server_name = ${serverName}`],
    residual: [],
  };
}

/** The keys that lead to these records, in any order. */
export function findEntriesOfRecords(runner: SqlRunner, recordIds: readonly number[]): Promise<KeyEntry[]> {
  return findEntries(runner, sql`k.record_id IN (${listOf(recordIds)})`);
}

interface EntryColumns extends Pick<KeyEntry, 'serverName' | 'keyId' | 'recordId' | 'publicKey'> {
  expiredTs: number | string | null;
  addedTs: number | string;
  validUntilTs: number | string;
}

async function findEntries(runner: SqlRunner, condition: Sql): Promise<KeyEntry[]> {
  const rows = await runner.query<EntryColumns>(sql`SELECT k.server_name AS "serverName", k.key_id AS "keyId",
      k.record_id AS "recordId", k.public_key AS "publicKey", k.expired_ts AS "expiredTs",
      r.last_seen_ts AS "addedTs", r.valid_until_ts AS "validUntilTs"
    FROM verify_key k JOIN key_record r ON r.id = k.record_id WHERE ${condition}`);
  return rows.map(({ expiredTs, addedTs, validUntilTs, ...row }) => ({
    ...row,
    expiredTs: expiredTs === null ? null : clamped(BigInt(expiredTs)),
    addedTs: Number(addedTs),
    validUntilTs: clamped(BigInt(validUntilTs)),
    dueTs: clamped((BigInt(addedTs) + BigInt(validUntilTs)) / 2n),
  }));
}

function clamped(ts: bigint): number {
  return Math.min(Number(ts), Number.MAX_SAFE_INTEGER);
}
