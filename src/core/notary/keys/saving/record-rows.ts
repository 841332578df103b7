import { CLOCKS_APART_MS } from '../../../base/clock.js';
import { toColumnTs } from '../../key-record/stored-record.js';
import type { AcceptedRecord } from '../../key-record/key-record.js';
import type { DbTransaction } from '../../../store/db.js';
import { updateSummary } from '../../../store/hot-sql.js';

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
  { keyRecord }: DbTransaction,
  saves: readonly RecordSave[],
): Promise<Map<string, SavedRecord>> {
  const [serverNames, hashes] = [saves.map(nameOf), saves.map(({ record }) => record.sha256)];
  const rows = await keyRecord.findMany({
    where: { serverName: { in: serverNames }, sha256: { in: hashes } },
    select: { id: true, serverName: true, sha256: true },
  });
  const ids = new Map(rows.map(({ id, serverName, sha256 }) => [`${sha256} ${serverName}`, id]));
  const saved = new Map<string, SavedRecord>();
  const added: RecordSave[] = [];
  for (const save of saves) {
    const id = ids.get(`${save.record.sha256} ${nameOf(save)}`);
    if (id === undefined) {
      added.push(save);
      continue;
    }
    saved.set(nameOf(save), { id, isNew: false });
    const lastSeenTs = BigInt(save.fetchedTs);
    if (!save.isOvertaken) await keyRecord.updateMany({ where: { id }, data: { lastSeenTs } });
  }
  if (added.length === 0) return saved;
  const select = { id: true, serverName: true };
  const created = await keyRecord.createManyAndReturn({ data: added.map(rowOf), select });
  for (const { id, serverName } of created) saved.set(serverName, { id, isNew: true });
  return saved;
}

const nameOf = ({ record }: RecordSave): string => record.serverName;

function rowOf({ record, published, fetchedTs }: RecordSave) {
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

/** Which record of a server is the newest from some time on; one row of newest_record. */
export interface NewestRecord {
  serverName: string;
  recordId: number;
  /** POSIX ms. */
  fromTs: number;
}

/** Notes that other records than before are the newest of their servers, inside the caller's transaction. */
export async function appendNewest(tx: DbTransaction, changes: readonly NewestRecord[]): Promise<void> {
  if (changes.length === 0) return;
  const data = changes.map(({ fromTs, ...change }) => ({ ...change, fromTs: BigInt(fromTs) }));
  await tx.newestRecord.createMany({ data });
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
export async function dateBack(tx: DbTransaction, { fetched, known }: FetchOfKnown): Promise<void> {
  const { fetchedTs, record } = fetched;
  // Each record that was seen led a key to itself, so that the latest is among these.
  const latestTs = known.reduce((latest, { lastSeenTs }) => Math.max(latest, Number(lastSeenTs)), 0);
  const aheadMs = latestTs - fetchedTs;
  if (aheadMs <= CLOCKS_APART_MS) return;
  const backMs = BigInt(aheadMs + 1);
  // What another instance stores at this moment is not so far ahead.
  const aheadFromTs = BigInt(fetchedTs + CLOCKS_APART_MS + 1);
  const { serverName } = record;
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
