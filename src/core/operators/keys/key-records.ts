import { setImmediate } from 'node:timers/promises';

import { isJsonObject, type JsonObject } from '../../base/json/json-value.js';
import { parseStrictJson, STORED_JSON } from '../../base/json/strict-json.js';
import { judgeSignatures, type SignatureVerdict } from '../../notary/key-record/signature-verdicts.js';
import { appendKeyEvents, type KeyEventListener } from '../../notary/keys/key-changes.js';
import { type Database, type DbTransaction, inTransaction, type OpenTransaction } from '../../store/db.js';
import { updateSummary } from '../../store/hot-sql.js';
import { isConflict } from '../../store/store-errors.js';

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

/** The first keys of a server by key ID. */
export async function findKeyEntries(
  { client: { verifyKey } }: Database,
  serverName: string,
  limit: number,
): Promise<KeyEntry[]> {
  const rows = await verifyKey.findMany({
    where: { serverName },
    orderBy: { keyId: 'asc' },
    take: limit,
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

/** One signature on a record, for operators. */
export interface CheckedSignature {
  signer: string;
  keyId: string;
  isValid: boolean;
  /** Why it is not valid, or cannot be checked; null for a valid one. */
  message: string | null;
}

/** A stored record as its server published it. */
export interface RecordView {
  recordId: number;
  published: JsonObject;
  signatures: readonly CheckedSignature[];
}

/** Each check costs 0.1 ms of the event loop; honest records have one to three. */
const MAX_SIGNATURES = 50;

/** Views of records by row id; absent ones are left out. */
export async function viewRecords(
  database: Database,
  recordIds: readonly number[],
  ownName: string,
): Promise<RecordView[]> {
  const rows = await database.client.keyRecord.findMany({
    where: { id: { in: [...recordIds] } },
    select: { id: true, serverName: true, published: true },
  });
  const views: RecordView[] = [];
  for (const { id, serverName, published: bytes } of rows) {
    const published = parseStrictJson(Buffer.from(bytes), STORED_JSON);
    if (!isJsonObject(published)) throw new Error('a stored key record is damaged: not a JSON object');
    const { verdicts, leftOut } = judgeSignatures(published, serverName, MAX_SIGNATURES);
    // In the record of a name we share with a homeserver, what stands under it is the homeserver's.
    const foreignName = serverName === ownName ? null : ownName;
    const signatures = verdicts.map((verdict) => checked(verdict, foreignName));
    const message = `${leftOut} more signatures are not checked; legitimate records have fewer.`;
    if (leftOut > 0) signatures.push({ signer: serverName, keyId: '…', isValid: false, message });
    views.push({ recordId: id, published, signatures });
    await setImmediate();
  }
  return views;
}

const MESSAGES: Readonly<Record<SignatureVerdict['status'], string | null>> = {
  valid: null,
  invalid: 'It does not match the record.',
  'unknown key': 'The record does not list this key, so the signature cannot be checked.',
};
const FOREIGN = 'The server published it under our name; peers do not get it.';

function checked({ signer, keyId, status }: SignatureVerdict, foreignName: string | null): CheckedSignature {
  const message = signer === foreignName ? FOREIGN : MESSAGES[status];
  return { signer, keyId, isValid: status === 'valid', message };
}

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

export interface DeletedRecords {
  /** With records. */
  servers: readonly string[];
  records: number;
  /** Of the records as published. */
  freedBytes: number;
}

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
): Promise<DeletedRecords> {
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
