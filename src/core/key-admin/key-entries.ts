import type { Database, DbTransaction } from '../db/db.js';
import { RecordList } from '../db/record-list.js';
import { sql } from '../db/sql.js';

/** A key of a server and the newest record that lists it; a row of verify_key with its record. */
export interface KeyEntry {
  serverName: string;
  keyId: string;
  recordId: number;
  /** Base64 as published. */
  publicKey: string;
  /** Set when the record lists it under old_verify_keys; POSIX ms, clamped to 2^53-1. */
  expiredTs: number | null;
  /** Time added of the record (§4.4.4), POSIX ms. */
  addedTs: number;
  /** Of the record, clamped to 2^53-1. */
  validUntilTs: number;
  /** Half-way point of the record. */
  dueTs: number;
}

/** The keys of a server that are answered, by key ID. */
export function createKeyList(database: Database, serverName: string): RecordList<null, string, KeyEntry> {
  return new RecordList(database, {
    listing: () => ({
      table: 'verify_key',
      columns: [],
      sort: { column: 'key_id', kind: 'text', nullable: false, direction: 'asc' },
      key: { column: 'key_id', kind: 'text' },
      indexed: [sql`server_name = ${serverName}`],
      residual: [],
    }),
    readKey: String,
    find: (keyIds) => findEntries(database.client, { serverName, keyId: { in: [...keyIds] } }),
    keyOf: ({ keyId }) => keyId,
  });
}

/** The keys that lead to these records, in any order. */
export function findEntriesOfRecords(
  client: DbTransaction,
  recordIds: readonly number[],
): Promise<KeyEntry[]> {
  return findEntries(client, { recordId: { in: [...recordIds] } });
}

/** All keys of a server that are answered, in any order. */
export function findEntriesOfServer(client: DbTransaction, serverName: string): Promise<KeyEntry[]> {
  return findEntries(client, { serverName });
}

async function findEntries(
  client: DbTransaction,
  where: { serverName: string; keyId?: { in: string[] } } | { recordId: { in: number[] } },
): Promise<KeyEntry[]> {
  const rows = await client.verifyKey.findMany({
    where,
    include: { record: { select: { lastSeenTs: true, validUntilTs: true } } },
  });
  return rows.map(({ serverName, keyId, recordId, publicKey, expiredTs, record }) => ({
    serverName,
    keyId,
    recordId,
    publicKey,
    expiredTs: expiredTs === null ? null : clamped(expiredTs),
    addedTs: Number(record.lastSeenTs),
    validUntilTs: clamped(record.validUntilTs),
    dueTs: clamped((record.lastSeenTs + record.validUntilTs) / 2n),
  }));
}

function clamped(ts: bigint): number {
  return Math.min(Number(ts), Number.MAX_SAFE_INTEGER);
}
