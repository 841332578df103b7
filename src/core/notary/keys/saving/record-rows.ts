import { CLOCKS_APART_MS } from '../../../base/clock.js';
import type { DbTransaction } from '../../../store/db.js';
import { updateSummary, insertRows, keysOfServers, type HotRow } from '../../../store/hot-sql.js';
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
  /** The keys of the record; of one that was overtaken only those that nothing else lists. */
  current: ReadonlyMap<string, KnownKey>;
  /**
   * Another instance stored a later fetch of the server meanwhile. After a clock was set back a fetch is the newest all
   * the same.
   */
  isOvertaken: boolean;
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
  const { serverName, record, isOvertaken, fetchedTs } = arrival;
  const where = { serverName_sha256: { serverName, sha256: record.sha256 } };
  const data = isOvertaken ? {} : { lastSeenTs: BigInt(fetchedTs) };
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

/** The engine compares once more: a later fetch may have been stored since the rows were read. */
const LISTED_AGAIN = {
  table: 'verify_key',
  conflict: `ON CONFLICT (server_name, key_id) DO UPDATE SET record_id = excluded.record_id,
    public_key = excluded.public_key, expired_ts = excluded.expired_ts, last_seen_ts = excluded.last_seen_ts
    WHERE verify_key.last_seen_ts <= excluded.last_seen_ts
      OR verify_key.last_seen_ts > excluded.last_seen_ts + ${CLOCKS_APART_MS}`,
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

/**
 * Notes that other records than before are the newest of their servers. One that was overtaken never becomes that; one
 * that was it before, and is once more, may come back.
 */
export async function appendNewest(tx: DbTransaction, arrivals: readonly Arrival[]): Promise<void> {
  const data = arrivals
    .filter(({ isOvertaken, recordId, previousId }) => !isOvertaken && recordId !== previousId)
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

/** Names of one statement. */
const MAX_NAMES = 32;

/**
 * Brings what remote_server repeats of a server's keys in line with them, inside the caller's transaction: times of
 * the newest record and the number of key IDs. Records that no key ID leads to any more do not count.
 */
export async function updateSummaries(tx: DbTransaction, serverNames: readonly string[]): Promise<void> {
  for (let at = 0; at < serverNames.length; at += MAX_NAMES)
    await updateSummary(tx, serverNames.slice(at, at + MAX_NAMES));
}

/** How far ahead of a fetch the latest one that is stored of its server lies, ms. */
export function aheadMsOf({ fetchedTs }: FetchedRecord, known: readonly VerifyKeyRow[]): number {
  // Each record that was seen led a key to itself, so that the latest is among these.
  return Math.max(0, ...known.map(({ lastSeenTs }) => Number(lastSeenTs))) - fetchedTs;
}

/**
 * Dates what comes from a clock that was set back to before a fetch that was not overtaken, the latest just before it
 * and the rest as far apart as they were: the newest record is the one seen last.
 */
export async function dateBack(tx: DbTransaction, arrival: Arrival): Promise<void> {
  const { fetchedTs, serverName, known, isOvertaken } = arrival;
  const aheadMs = aheadMsOf(arrival, known);
  if (isOvertaken || aheadMs <= CLOCKS_APART_MS) return;
  const backMs = BigInt(aheadMs + 1);
  // What another instance stores at this moment is not so far ahead.
  const aheadFromTs = BigInt(fetchedTs + CLOCKS_APART_MS + 1);
  const where = { serverName, lastSeenTs: { gte: aheadFromTs } };
  const datedBack = (row: { firstSeenTs: bigint; lastSeenTs: bigint }) => {
    const lastSeenTs = row.lastSeenTs - backMs;
    const firstSeenTs = row.firstSeenTs >= aheadFromTs ? row.firstSeenTs - backMs : row.firstSeenTs;
    return { lastSeenTs, firstSeenTs: firstSeenTs > lastSeenTs ? lastSeenTs : firstSeenTs };
  };
  for (const row of await tx.keyRecord.findMany({ where, omit: { published: true } }))
    await tx.keyRecord.updateMany({ where: { id: row.id }, data: datedBack(row) });
  for (const row of await tx.verifyKey.findMany({ where }))
    await tx.verifyKey.updateMany({ where: { serverName, keyId: row.keyId }, data: datedBack(row) });
  await tx.newestRecord.updateMany({
    where: { serverName, fromTs: { gte: aheadFromTs } },
    data: { fromTs: { decrement: backMs } },
  });
}
