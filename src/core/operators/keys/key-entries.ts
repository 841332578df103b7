import type { Database, Db } from '../../store/db.js';
import { RecordList } from '../../store/lists/record-list.js';

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
export function createKeyList(database: Database): RecordList<string, string, KeyEntry> {
  return new RecordList(database, {
    listing: (serverName) => ({
      model: 'verifyKey',
      sort: { name: 'keyId', kind: 'text', nullable: false, direction: 'asc' },
      key: { name: 'keyId', kind: 'text' },
      indexed: [{ serverName }],
      residual: [],
      refinements: [],
    }),
    find: (keyIds, serverName) => findEntries(database.client, { serverName, keyId: { in: [...keyIds] } }),
    keyOf: ({ keyId }) => keyId,
  });
}

type EntryFilter = NonNullable<NonNullable<Parameters<Db['verifyKey']['findMany']>[0]>['where']>;

async function findEntries({ verifyKey }: Db, where: EntryFilter): Promise<KeyEntry[]> {
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
