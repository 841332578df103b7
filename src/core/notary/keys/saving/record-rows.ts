import type { DbTransaction, OpenTransaction, VerifyKeyRow } from '../../../store/db.js';
import { insertRows, keysOfServers, type HotRow } from '../../../store/hot-sql.js';
import { type FetchedRecord, toColumnTs } from '../../key-record/record-signing.js';
import type { LogDraft, LogQueue } from '../../log/log-store.js';
import type { SavedRecord } from '../fetch-store.js';
import {
  appendKeyEvents,
  diffKeys,
  listedKeys,
  type KeyEventBatch,
  type KeyEventDraft,
  type KeyEventListener,
  type KnownKey,
} from '../key-changes.js';

/** One server's fetched record beside what is stored of the server. */
interface Arrival extends FetchedRecord {
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

/** Who hears of the events that records cause. */
export interface RecordListeners {
  /** `null` without a log. */
  logQueue: LogQueue | null;
  /** `null`: alarms have no limit. */
  listener: KeyEventListener | null;
}

/**
 * Stores fetched records of different servers, the events they cause and their entries of the log, inside the
 * caller's transaction. Of a record seen before only the time added is renewed.
 */
export async function saveRecords(
  open: OpenTransaction,
  batch: readonly FetchedRecord[],
  { logQueue, listener }: RecordListeners = { logQueue: null, listener: null },
): Promise<Map<string, SavedRecord>> {
  if (batch.length === 0) return new Map();
  const { tx } = open;
  const names = batch.map(({ record }) => record.serverName);
  const known = new Map(names.map((name): [string, VerifyKeyRow[]] => [name, []]));
  for (const row of await keysOfServers(tx, names)) known.get(row.serverName)?.push(row);
  const arrivals = batch.map((fetched) => arrivalOf(fetched, known.get(fetched.record.serverName) ?? []));
  for (const arrival of arrivals) await dateBack(tx, arrival);
  const validity = await findValidity(tx, arrivals);
  await saveRows(tx, arrivals);
  await saveKeys(tx, arrivals);
  await appendNewest(tx, arrivals);
  const saved = new Map<string, SavedRecord>();
  const drafts: (LogDraft & KeyEventBatch)[] = [];
  for (const arrival of arrivals) {
    const { serverName, fetchedTs, recordId } = arrival;
    drafts.push({ ...arrival, ts: fetchedTs, events: eventsOf(arrival, validity) });
    const forgotten = await forgetBriefestVanished(tx, arrival);
    const keyIds = new Set([...arrival.known.map(({ keyId }) => keyId), ...arrival.current.keys()]);
    saved.set(serverName, {
      recordId,
      keyCount: keyIds.size - forgotten,
      isOnly: arrival.known.length === 0,
    });
  }
  await appendKeyEvents(open, drafts, listener);
  await logQueue?.add(open, drafts);
  return saved;
}

function arrivalOf(fetched: FetchedRecord, known: readonly VerifyKeyRow[]): Arrival {
  const { record } = fetched;
  const newest = known.reduce<VerifyKeyRow | null>(
    (latest, row) => (latest === null || row.lastSeenTs > latest.lastSeenTs ? row : latest),
    null,
  );
  return {
    ...fetched,
    serverName: record.serverName,
    known,
    current: listedKeys(record.record),
    previousId: newest?.recordId ?? null,
    recordId: NaN,
    isNew: false,
  };
}

/** `valid_until_ts` of the records that were the newest so far, by row id. */
async function findValidity(
  tx: DbTransaction,
  arrivals: readonly Arrival[],
): Promise<Map<number | null, bigint>> {
  const ids = arrivals.flatMap(({ previousId }) => previousId ?? []);
  if (ids.length === 0) return new Map();
  const rows = await tx.keyRecord.findMany({
    where: { id: { in: ids } },
    select: { id: true, validUntilTs: true },
  });
  return new Map(rows.map(({ id, validUntilTs }) => [id, validUntilTs]));
}

function eventsOf(
  { record, previousId, known, current }: Arrival,
  validity: ReadonlyMap<number | null, bigint>,
): KeyEventDraft[] {
  const previous = known.filter(({ recordId }) => recordId === previousId).map(({ keyId }) => keyId);
  return diffKeys({
    known: new Map(known.map((row) => [row.keyId, row])),
    previousKeyIds: previousId === null ? null : new Set(previous),
    previousValidUntilTs: validity.get(previousId) ?? null,
    current,
    validUntilTs: toColumnTs(record.validUntilTs),
    unprovenKeyIds: record.unprovenKeyIds,
  });
}

/** Stores records of different servers; of one that is stored already only the time added is renewed. */
async function saveRows(tx: DbTransaction, arrivals: readonly Arrival[]): Promise<void> {
  const added = await insertRows<{ id: number; server_name: string }>(
    tx,
    {
      table: 'key_record',
      conflict: 'ON CONFLICT (server_name, sha256) DO NOTHING RETURNING id, server_name',
    },
    arrivals.map(({ serverName, record, published, fetchedTs }) => ({
      serverName,
      sha256: record.sha256,
      published: new Uint8Array(published),
      validUntilTs: toColumnTs(record.validUntilTs),
      firstSeenTs: fetchedTs,
      lastSeenTs: fetchedTs,
    })),
  );
  const ids = new Map(added.map((row) => [row.server_name, row.id]));
  for (const arrival of arrivals) {
    const id = ids.get(arrival.serverName);
    Object.assign(arrival, { recordId: id ?? (await renew(tx, arrival)), isNew: id !== undefined });
  }
}

async function renew(
  { keyRecord }: DbTransaction,
  { serverName, record, fetchedTs }: Arrival,
): Promise<number> {
  const where = { serverName_sha256: { serverName, sha256: record.sha256 } };
  return (await keyRecord.update({ where, data: { lastSeenTs: fetchedTs }, select: { id: true } })).id;
}

const LISTED_AGAIN = {
  table: 'verify_key',
  conflict: `ON CONFLICT (server_name, key_id) DO UPDATE SET record_id = excluded.record_id,
    public_key = excluded.public_key, expired_ts = excluded.expired_ts, last_seen_ts = excluded.last_seen_ts`,
};

/** Points every listed key id to its record. */
async function saveKeys(tx: DbTransaction, arrivals: readonly Arrival[]): Promise<void> {
  const [added, listed]: [HotRow[], HotRow[]] = [[], []];
  for (const { serverName, recordId, fetchedTs, known, current } of arrivals) {
    const knownIds = new Set(known.map(({ keyId }) => keyId));
    for (const { keyId, publicKey, expiredTs } of current.values())
      (knownIds.has(keyId) ? listed : added).push({
        serverName,
        keyId,
        recordId,
        publicKey,
        expiredTs: expiredTs === null ? null : toColumnTs(expiredTs),
        firstSeenTs: fetchedTs,
        lastSeenTs: fetchedTs,
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
 * themselves stay in the history. Returns how many keys went.
 */
async function forgetBriefestVanished(
  tx: DbTransaction,
  { serverName, known, current, recordId: newestId }: Arrival,
): Promise<number> {
  const usedMs = new Map<number, bigint>();
  for (const { keyId, recordId, firstSeenTs, lastSeenTs } of known) {
    if (current.has(keyId) || recordId === newestId) continue;
    const longest = usedMs.get(recordId) ?? -1n;
    const used = lastSeenTs - firstSeenTs;
    usedMs.set(recordId, used > longest ? used : longest);
  }
  // One place is the newest record's.
  const surplus = usedMs.size - (MAX_ANSWERABLE_RECORDS - 1);
  if (surplus <= 0) return 0;
  const briefest = [...usedMs].toSorted(([idA, a], [idB, b]) => (a === b ? idA - idB : a < b ? -1 : 1));
  const recordIds = briefest.slice(0, surplus).map(([recordId]) => recordId);
  return (await tx.verifyKey.deleteMany({ where: { serverName, recordId: { in: recordIds } } })).count;
}

/** Notes that other records than before are the newest of their servers. */
async function appendNewest(tx: DbTransaction, arrivals: readonly Arrival[]): Promise<void> {
  const data = arrivals
    .filter(({ recordId, previousId }) => recordId !== previousId)
    .map(({ serverName, recordId, fetchedTs }) => ({ serverName, recordId, fromTs: fetchedTs }));
  await insertRows(tx, { table: 'newest_record' }, data);
}

/**
 * Dates what comes from a clock that was set back, or that runs ahead on another instance, to just before the fetch: the
 * newest record is the one that was stored last.
 */
async function dateBack(tx: DbTransaction, { fetchedTs, serverName, known }: Arrival): Promise<void> {
  const latestTs = BigInt(fetchedTs) - 1n;
  // Each record that was seen led a key to itself, so that the latest is among these.
  if (known.every(({ lastSeenTs }) => lastSeenTs <= latestTs)) return;
  const seenLater = { serverName, lastSeenTs: { gt: latestTs } };
  const firstSeenLater = { serverName, firstSeenTs: { gt: latestTs } };
  await tx.keyRecord.updateMany({ where: seenLater, data: { lastSeenTs: latestTs } });
  await tx.keyRecord.updateMany({ where: firstSeenLater, data: { firstSeenTs: latestTs } });
  await tx.verifyKey.updateMany({ where: seenLater, data: { lastSeenTs: latestTs } });
  await tx.verifyKey.updateMany({ where: firstSeenLater, data: { firstSeenTs: latestTs } });
  await tx.newestRecord.updateMany({
    where: { serverName, fromTs: { gt: latestTs } },
    data: { fromTs: latestTs },
  });
}
