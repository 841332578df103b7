import type { Database, Db, DbTransaction } from '../../store/db.js';
import type { CappedCount, Page } from '../../store/lists/keyset-page.js';
import type { KeysetListing } from '../../store/lists/keyset-walk.js';
import { countLists, findFirstPages } from '../../store/lists/many-lists.js';
import { RecordList, withRecords } from '../../store/lists/record-list.js';
import { sql } from '../../store/sql/sql.js';

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
    find: (keyIds) => findEntries(database.client, { serverName, keyId: { in: [...keyIds] } }),
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
  const entries = await findEntries(database.client, {
    serverName: { in: [...serverNames] },
    keyId: { in: [...keyIds] },
  });
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
export function findEntriesOfRecords(
  client: Db | DbTransaction,
  recordIds: readonly number[],
): Promise<KeyEntry[]> {
  return findEntries(client, { recordId: { in: [...recordIds] } });
}

type EntryFilter = NonNullable<NonNullable<Parameters<Db['verifyKey']['findMany']>[0]>['where']>;

async function findEntries({ verifyKey }: Db | DbTransaction, where: EntryFilter): Promise<KeyEntry[]> {
  const rows = await verifyKey.findMany({
    where,
    select: {
      serverName: true,
      keyId: true,
      recordId: true,
      publicKey: true,
      expiredTs: true,
      record: { select: { lastSeenTs: true, validUntilTs: true } },
    },
  });
  return rows.map(({ expiredTs, record: { lastSeenTs, validUntilTs }, ...row }) => ({
    ...row,
    expiredTs: expiredTs === null ? null : clamped(expiredTs),
    addedTs: Number(lastSeenTs),
    validUntilTs: clamped(validUntilTs),
    dueTs: clamped((lastSeenTs + validUntilTs) / 2n),
  }));
}

function clamped(ts: bigint): number {
  return Math.min(Number(ts), Number.MAX_SAFE_INTEGER);
}
