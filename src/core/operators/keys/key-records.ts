import { setImmediate } from 'node:timers/promises';

import type { LogKey } from '@vidimus/tlog';

import {
  createJsonObject,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../base/json/json-value.js';
import { signedPayload } from '../../notary/key-record/key-record.js';
import { parseStoredRecord } from '../../notary/key-record/record-signing.js';
import { decodeBase64, publicKeyRefusal, verifyEd25519 } from '../../notary/signing/signer.js';
import { appendKeyEvents, type KeyEventListener } from '../../notary/keys/key-changes.js';
import type { CheckpointOffers } from '../../notary/log/checkpoint-offers.js';
import type { PublishedLog } from '../../notary/log/published-log.js';
import { type Database, type DbTransaction, inTransaction, type OpenTransaction } from '../../store/db.js';
import { updateSummary } from '../../store/hot-sql.js';
import { plainRow } from '../../store/plain-row.js';
import { isConflict } from '../../store/store-errors.js';

/** A key of a server and the newest record that lists it. */
export type KeyEntry = Awaited<ReturnType<typeof findKeyEntries>>[number];

/** The first keys of a server by key ID. */
export async function findKeyEntries({ client }: Database, serverName: string, limit: number) {
  const rows = await client.verifyKey.findMany({
    where: { serverName },
    orderBy: { keyId: 'asc' },
    take: limit,
    include: { record: { select: { lastSeenTs: true, validUntilTs: true } } },
  });
  return rows.map(({ record: { lastSeenTs, validUntilTs }, ...row }) =>
    // `dueTs`: half-way point of the record (SPEC §4.4.4).
    plainRow({ ...row, addedTs: lastSeenTs, validUntilTs, dueTs: (lastSeenTs + validUntilTs) / 2n }),
  );
}

/** A stored record as its server published it. */
export type RecordView = Awaited<ReturnType<typeof viewRecords>>[number];

/** Each check costs 0.1 ms of the event loop; honest records have one to three. */
const MAX_SIGNATURES = 50;

/** Views of records by row id; absent ones are left out. */
export async function viewRecords({ client }: Database, recordIds: readonly number[], ownName: string) {
  const rows = await client.keyRecord.findMany({ where: { id: { in: [...recordIds] } } });
  const views = [];
  for (const { id: recordId, serverName, published: bytes } of rows) {
    const { record: published } = parseStoredRecord(recordId, bytes);
    const payload = signedPayload(published);
    const all = Object.entries(membersOf(published['signatures'])).flatMap(([signer, own]) =>
      Object.entries(membersOf(own)).map(([keyId, signature]) => ({ signer, keyId, signature })),
    );
    const signatures = all.slice(0, MAX_SIGNATURES).map(({ signer, keyId, signature }) => {
      const publicKey = signer === serverName ? listedKey(published, keyId) : null;
      const signed = typeof signature === 'string' ? decodeBase64(signature) : null;
      const valid = publicKey !== null && signed !== null && verifyEd25519(publicKey, payload, signed);
      // In the record of a name we share with a homeserver, what stands under it is the homeserver's.
      if (signer === ownName && serverName !== ownName) return { signer, keyId, valid, message: FOREIGN };
      const problem = publicKey === null ? UNKNOWN_KEY : 'It does not match the record.';
      return { signer, keyId, valid, message: valid ? null : problem };
    });
    const leftOut = all.length - signatures.length;
    const message = `${leftOut} more signatures are not checked; legitimate records have fewer.`;
    if (leftOut > 0) signatures.push({ signer: serverName, keyId: '…', valid: false, message });
    views.push({ recordId, published, signatures });
    await setImmediate();
  }
  return views;
}

/** A key that could have signed the record; one that nobody may use counts as none. */
function listedKey(record: JsonObject, keyId: string): Buffer | null {
  const listed = membersOf(record['verify_keys'])[keyId] ?? membersOf(record['old_verify_keys'])[keyId];
  const encoded = membersOf(listed)['key'];
  const bytes = typeof encoded === 'string' ? decodeBase64(encoded) : null;
  return bytes === null || publicKeyRefusal(bytes) !== null ? null : bytes;
}

function membersOf(value: JsonValue | undefined): { readonly [member: string]: JsonValue } {
  return isJsonObject(value) ? value : createJsonObject();
}

const UNKNOWN_KEY = 'The record does not list this key, so the signature cannot be checked.';
const FOREIGN = 'The server published it under our name; peers do not get it.';

export interface DeletingParts {
  database: Database;
  /** Forgets what is kept in memory of servers, on all instances. */
  forget(serverNames: readonly string[]): Promise<void>;
  /** Absent: nobody is notified. */
  listener?: KeyEventListener;
}

/** Who deletes, and when. */
export interface Deletion {
  /** POSIX ms. */
  ts: number;
  /** Shown with the event. */
  actor: string;
}

export type DeletedRecords = Awaited<ReturnType<typeof removeRecords>>;

/**
 * Deletes all stored records of servers with their keys, in one transaction, and notes it among the events of the
 * servers. The next query fetches them again.
 */
export async function deleteKeyRecords(
  parts: DeletingParts,
  serverNames: readonly string[],
  deletion: Deletion,
): Promise<DeletedRecords> {
  const remove = (): Promise<DeletedRecords> =>
    inTransaction(parts.database, (open) => removeRecords(open, serverNames, { ...parts, ...deletion }));
  const deleted = await remove().catch((error: unknown) =>
    isConflict(error) ? remove() : Promise.reject(error),
  );
  await parts.forget(deleted.servers);
  return deleted;
}

async function removeRecords(
  open: OpenTransaction,
  serverNames: readonly string[],
  { listener, ts, actor }: Deletion & Pick<DeletingParts, 'listener'>,
) {
  const { tx } = open;
  const of = { where: { serverName: { in: [...serverNames] } } };
  // Locks the rows, so that no fetch points a key to one of them while it goes.
  await tx.keyRecord.updateMany({ ...of, data: { firstSeenTs: { increment: 0 } } });
  const records = await tx.keyRecord.findMany(of);
  const deletedIds = records.map(({ id }) => id);
  const keys = await tx.verifyKey.groupBy({
    by: 'recordId',
    where: { recordId: { in: deletedIds } },
    _count: { _all: true },
  });
  const keyCounts = new Map(keys.map(({ recordId, _count }) => [recordId, _count._all]));
  await tx.verifyKey.deleteMany({ where: { recordId: { in: deletedIds } } });
  await tx.keyRecord.deleteMany({ where: { id: { in: deletedIds } } });
  const servers = [...new Set(records.map(({ serverName }) => serverName))].toSorted();
  await appendNewestLeft(tx, servers, { deletedIds, ts });
  await updateSummary(tx, servers);
  const events = records.map(({ id, serverName, sha256 }) => {
    const detail = { keys: String(keyCounts.get(id) ?? 0), sha256, actor };
    const event = { kind: 'record_deleted', severity: 'warning', keyId: null, detail } as const;
    return { serverName, ts, recordId: id, events: [event] };
  });
  await appendKeyEvents(open, events, listener);
  const freedBytes = records.reduce((sum, { published }) => sum + published.length, 0);
  return { servers, records: records.length, freedBytes };
}

/**
 * Notes what is the newest of servers whose newest record was deleted, inside the transaction that did: a record that
 * still leads to one of their keys, or none.
 */
async function appendNewestLeft(
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

/** What operators see of the log. */
export interface LogStatus {
  key: LogKey;
  log: PublishedLog;
  offers: CheckpointOffers;
  maximumMergeDelayMs: number;
}

/** How many waiting entries are counted. */
const MAX_COUNTED = 100_000;

/** A tlog-proof of what the log last said of a stored record; `null`: nothing yet. */
export async function proveRecord(
  { client }: Database,
  log: PublishedLog,
  recordId: number,
): Promise<string | null> {
  const record = await client.keyRecord.findFirst({ where: { id: recordId }, select: { sha256: true } });
  return record === null ? null : log.proveRecord(record.sha256);
}

/** Entries that are not in the log yet, 100,000 at most. */
export function countWaiting({ client }: Database): Promise<number> {
  return client.logQueue.count({ take: MAX_COUNTED });
}
