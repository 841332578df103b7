import type { DbTransaction } from '../../../store/db.js';
import { insertRows, keysOfServers, type HotRow } from '../../../store/hot-sql.js';
import type { AcceptedRecord } from '../../key-record/key-record.js';
import { toColumnTs } from '../../key-record/record-signing.js';
import type { FetchLogEntry, ServerHealth } from '../fetch-store.js';
import type { KeyEventDraft, KnownKey } from '../key-changes.js';

/** A fetched and accepted record, ready to be stored. */
export interface FetchedRecord {
  record: AcceptedRecord;
  /** The bytes as the origin published them. */
  published: Buffer;
  /** When the request was sent, POSIX ms; becomes the record's time added (SPEC §4.4.4). */
  fetchedTs: number;
}

/** All that one fetch leaves behind in the store. */
export interface FetchOutcome {
  /** The attempt; its record's row id is found out when it is stored. */
  entry: Omit<FetchLogEntry, 'recordId'>;
  health: ServerHealth;
  /** `null` when the fetch failed. */
  fetched: FetchedRecord | null;
  /** Events that no stored record causes, such as a refusal. */
  events: readonly KeyEventDraft[];
  /** Whether the record is the first of its server; absent: it is not. */
  isFirst?: boolean;
  /** A failed server whose rows go, because this one takes their place. */
  evicted?: string;
}

/** A row of verify_key. */
export interface VerifyKeyRow extends KnownKey {
  recordId: number;
  expiredTs: bigint | null;
  firstSeenTs: bigint;
  lastSeenTs: bigint;
}

/** One server's fetched record beside what is stored of the server. */
export interface Arrival extends FetchedRecord {
  serverName: string;
  known: readonly VerifyKeyRow[];
  /** The keys of the record. */
  current: ReadonlyMap<string, KnownKey>;
  /** The record that was the newest so far. */
  previousId: number | null;
  /** Its row, once it is stored. */
  recordId: number;
  /** Whether it had not been stored before. */
  isNew: boolean;
}

/** The rows of verify_key of each server. */
export async function findKeyRows(
  tx: DbTransaction,
  serverNames: readonly string[],
): Promise<Map<string, VerifyKeyRow[]>> {
  const found = new Map(serverNames.map((serverName): [string, VerifyKeyRow[]] => [serverName, []]));
  for (const row of await keysOfServers(tx, serverNames)) found.get(row.serverName)?.push(row);
  return found;
}

/** Stores records of different servers; of one that is stored already only the time added is renewed. */
export async function saveRecords(tx: DbTransaction, arrivals: readonly Arrival[]): Promise<void> {
  const added = await insertRows<{ id: number; server_name: string }>(
    tx,
    {
      table: 'key_record',
      conflict: 'ON CONFLICT (server_name, sha256) DO NOTHING RETURNING id, server_name',
    },
    arrivals.map(rowOf),
  );
  const ids = new Map(added.map((row) => [row.server_name, row.id]));
  for (const arrival of arrivals) {
    const id = ids.get(arrival.serverName);
    if (id === undefined) arrival.recordId = await renew(tx, arrival);
    else Object.assign(arrival, { recordId: id, isNew: true });
  }
}

async function renew({ keyRecord }: DbTransaction, arrival: Arrival): Promise<number> {
  const { serverName, record, fetchedTs } = arrival;
  const where = { serverName_sha256: { serverName, sha256: record.sha256 } };
  const data = { lastSeenTs: BigInt(fetchedTs) };
  return (await keyRecord.update({ where, data, select: { id: true } })).id;
}

function rowOf({ record, published, fetchedTs }: Arrival) {
  const seenTs = BigInt(fetchedTs);
  return {
    serverName: record.serverName,
    sha256: record.sha256,
    published: new Uint8Array(published),
    validUntilTs: toColumnTs(record.validUntilTs),
    firstSeenTs: seenTs,
    lastSeenTs: seenTs,
  };
}

const LISTED_AGAIN = {
  table: 'verify_key',
  conflict: `ON CONFLICT (server_name, key_id) DO UPDATE SET record_id = excluded.record_id,
    public_key = excluded.public_key, expired_ts = excluded.expired_ts, last_seen_ts = excluded.last_seen_ts`,
};

/** Points every listed key id to its record. */
export async function saveKeys(tx: DbTransaction, arrivals: readonly Arrival[]): Promise<void> {
  const [added, listed]: [HotRow[], HotRow[]] = [[], []];
  for (const { serverName, recordId, fetchedTs, known, current } of arrivals) {
    const seenTs = BigInt(fetchedTs);
    const knownIds = new Set(known.map(({ keyId }) => keyId));
    for (const { keyId, publicKey, expiredTs } of current.values())
      (knownIds.has(keyId) ? listed : added).push({
        serverName,
        keyId,
        recordId,
        publicKey,
        expiredTs: expiredTs === null ? null : toColumnTs(expiredTs),
        firstSeenTs: seenTs,
        lastSeenTs: seenTs,
      });
  }
  // A key that another instance added meanwhile is a conflict: what is news has to be found out again.
  await insertRows(tx, { table: 'verify_key' }, added);
  await insertRows(tx, LISTED_AGAIN, listed);
}

/**
 * Records of one server that stay answerable. Without a bound an origin that renames its keys all the time could
 * make the answer for "all keys" as large as it likes.
 */
const MAX_ANSWERABLE_RECORDS = 64;

/**
 * Takes vanished keys out of the index when they lead to more records than are answered: those that were in use for the
 * shortest time, so that nobody who got hold of an origin for a while can push out the keys it really used. The records
 * themselves stay in the history.
 */
export async function forgetBriefestVanished(
  { verifyKey }: DbTransaction,
  { serverName, known, current, recordId: newestId }: Arrival,
): Promise<void> {
  const usedMs = new Map<number, bigint>();
  for (const { keyId, recordId, firstSeenTs, lastSeenTs } of known) {
    if (current.has(keyId) || recordId === newestId) continue;
    const longest = usedMs.get(recordId) ?? -1n;
    const used = lastSeenTs - firstSeenTs;
    usedMs.set(recordId, used > longest ? used : longest);
  }
  // One place is the newest record's.
  const surplus = usedMs.size - (MAX_ANSWERABLE_RECORDS - 1);
  if (surplus <= 0) return;
  const briefest = [...usedMs].toSorted(([idA, a], [idB, b]) => (a === b ? idA - idB : a < b ? -1 : 1));
  const recordIds = briefest.slice(0, surplus).map(([recordId]) => recordId);
  await verifyKey.deleteMany({ where: { serverName, recordId: { in: recordIds } } });
}

/** Notes that other records than before are the newest of their servers. */
export async function appendNewest(tx: DbTransaction, arrivals: readonly Arrival[]): Promise<void> {
  const data = arrivals
    .filter(({ recordId, previousId }) => recordId !== previousId)
    .map(({ serverName, recordId, fetchedTs }) => ({ serverName, recordId, fromTs: BigInt(fetchedTs) }));
  await insertRows(tx, { table: 'newest_record' }, data);
}

/**
 * Notes what is the newest of servers whose newest record was deleted, inside the transaction that did: a record that
 * still leads to one of their keys, or none.
 */
export async function appendNewestLeft(
  { newestRecord, verifyKey }: DbTransaction,
  serverNames: readonly string[],
  { deletedIds, ts }: { deletedIds: readonly number[]; ts: number },
): Promise<void> {
  for (const serverName of serverNames) {
    const newest = await newestRecord.findFirst({
      where: { serverName },
      orderBy: [{ fromTs: 'desc' }, { id: 'desc' }],
    });
    if (newest === null || newest.recordId === null || !deletedIds.includes(newest.recordId)) continue;
    const left = await verifyKey.findFirst({
      where: { serverName },
      orderBy: [{ lastSeenTs: 'desc' }, { recordId: 'desc' }],
    });
    await newestRecord.create({ data: { serverName, recordId: left?.recordId ?? null, fromTs: BigInt(ts) } });
  }
}

/**
 * Dates what comes from a clock that was set back, or that runs ahead on another instance, to just before the fetch: the
 * newest record is the one that was stored last.
 */
export async function dateBack(
  { keyRecord, verifyKey, newestRecord }: DbTransaction,
  { fetchedTs, serverName, known }: Arrival,
): Promise<void> {
  const latestTs = BigInt(fetchedTs) - 1n;
  // Each record that was seen led a key to itself, so that the latest is among these.
  if (known.every(({ lastSeenTs }) => lastSeenTs <= latestTs)) return;
  const seenLater = { serverName, lastSeenTs: { gt: latestTs } };
  const firstSeenLater = { serverName, firstSeenTs: { gt: latestTs } };
  await keyRecord.updateMany({ where: seenLater, data: { lastSeenTs: latestTs } });
  await keyRecord.updateMany({ where: firstSeenLater, data: { firstSeenTs: latestTs } });
  await verifyKey.updateMany({ where: seenLater, data: { lastSeenTs: latestTs } });
  await verifyKey.updateMany({ where: firstSeenLater, data: { firstSeenTs: latestTs } });
  await newestRecord.updateMany({
    where: { serverName, fromTs: { gt: latestTs } },
    data: { fromTs: latestTs },
  });
}
