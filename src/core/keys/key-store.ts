import { setImmediate } from 'node:timers/promises';

import { MINUTE_MS } from '../clock.js';
import type { Database, DbTransaction } from '../db/db.js';
import { isJsonInteger, isJsonObject } from '../json/json-value.js';
import type { JsonObject, JsonValue } from '../json/json-value.js';
import { storableText } from '../storable-text.js';
import { toColumnTs } from '../key-record/column-ts.js';
import { inPieces } from './in-pieces.js';
import { diffKeys } from './key-changes.js';
import type { KnownKey } from './key-changes.js';
import { appendKeyEvents } from './key-event-store.js';
import type { AcceptedRecord } from '../key-record/key-record.js';
import { readStoredRecord } from '../key-record/stored-record.js';
import type { StoredRecord } from '../key-record/stored-record.js';
import { forgetBriefestVanished } from './vanished-keys.js';

/** A fetched and accepted record, ready to be stored. */
export interface FetchedRecord {
  record: AcceptedRecord;
  /** The bytes as the origin published them. */
  published: Buffer;
  /** When the request was sent, POSIX ms; becomes the record's time added (§4.4.4). */
  fetchedTs: number;
}

interface VerifyKeyRow extends KnownKey {
  recordId: number;
  expiredTs: bigint | null;
  firstSeenTs: bigint;
  lastSeenTs: bigint;
}

/** Reading a record back takes microseconds, but a query may be about a thousand servers. */
const ROWS_PER_TURN = 100;

/** Stored key records: immutable rows, and for every key id ever seen the newest record that lists it. */
export class KeyStore {
  constructor(private readonly database: Database) {}

  /**
   * The current records of each server, oldest first: those that are the newest for at least one key id.
   * One query for all servers; servers without records are absent from the result.
   */
  async findRecords(serverNames: readonly string[]): Promise<Map<string, StoredRecord[]>> {
    const rows = await this.database.client.keyRecord.findMany({
      where: { serverName: { in: [...serverNames] }, verifyKeys: { some: {} } },
      orderBy: [{ lastSeenTs: 'asc' }, { id: 'asc' }],
      select: { id: true, serverName: true, published: true, lastSeenTs: true },
    });
    const found = new Map<string, StoredRecord[]>();
    for (const [index, row] of rows.entries()) {
      if (index > 0 && index % ROWS_PER_TURN === 0) await setImmediate();
      const records = found.get(row.serverName);
      if (records === undefined) found.set(row.serverName, [readStoredRecord(row)]);
      else records.push(readStoredRecord(row));
    }
    return found;
  }

  /**
   * Stores a fetched record and the events it causes, inside the caller's transaction.
   * A record seen before only gets its time added renewed. Returns the record's row id.
   */
  async save(tx: DbTransaction, fetched: FetchedRecord): Promise<number> {
    const { record, fetchedTs } = fetched;
    const { serverName } = record;
    const known = await tx.verifyKey.findMany({ where: { serverName } });
    if (wasOvertaken(known, fetchedTs)) return saveOvertaken(tx, fetched, known);
    const previousId = newestRecordId(known);
    const previous =
      previousId === null
        ? null
        : await tx.keyRecord.findUnique({ where: { id: previousId }, select: { validUntilTs: true } });

    const recordId = await saveRecord(tx, fetched);
    const current = keysOf(record);
    await saveKeys(tx, { serverName, recordId, fetchedTs, known, current });
    const vanished = known.filter((row) => !current.has(row.keyId) && row.recordId !== recordId);
    await forgetBriefestVanished(tx, serverName, vanished);

    const events = diffKeys({
      known: new Map(known.map((row) => [row.keyId, row])),
      previousKeyIds:
        previousId === null
          ? null
          : new Set(known.filter((row) => row.recordId === previousId).map((row) => row.keyId)),
      previousValidUntilTs: previous?.validUntilTs ?? null,
      current,
      validUntilTs: toColumnTs(record.validUntilTs),
      unprovenKeyIds: record.unprovenKeyIds,
    });
    await appendKeyEvents(tx, { serverName, ts: fetchedTs, recordId, events });
    return recordId;
  }
}

const OVERTAKEN_WITHIN_MS = 5 * MINUTE_MS;

/**
 * Whether another instance stored a later fetch of the server meanwhile. No fetch takes longer than a few minutes;
 * what lies further ahead comes from a clock that was set back, and then this fetch is the newest after all.
 */
function wasOvertaken(known: readonly VerifyKeyRow[], fetchedTs: number): boolean {
  return known.some(({ lastSeenTs }) => {
    const aheadMs = Number(lastSeenTs) - fetchedTs;
    return aheadMs > 0 && aheadMs <= OVERTAKEN_WITHIN_MS;
  });
}

/** Keeps an overtaken record and key ids only it lists; what the later fetch said stands, and nothing is news. */
async function saveOvertaken(
  tx: DbTransaction,
  fetched: FetchedRecord,
  known: readonly VerifyKeyRow[],
): Promise<number> {
  const { serverName } = fetched.record;
  const recordId = await saveRecord(tx, fetched, { isOvertaken: true });
  const knownIds = new Set(known.map((row) => row.keyId));
  const current = new Map([...keysOf(fetched.record)].filter(([keyId]) => !knownIds.has(keyId)));
  await saveKeys(tx, { serverName, recordId, fetchedTs: fetched.fetchedTs, known, current });
  return recordId;
}

function newestRecordId(known: readonly VerifyKeyRow[]): number | null {
  let newest: VerifyKeyRow | null = null;
  for (const row of known) {
    if (newest === null || row.lastSeenTs > newest.lastSeenTs) newest = row;
  }
  return newest?.recordId ?? null;
}

/** Every key id the record lists, of algorithms we do not know too: all of them stay answerable. */
function keysOf(record: AcceptedRecord): Map<string, KnownKey> {
  const keys = new Map<string, KnownKey>();
  for (const [keyId, listed] of members(record.record['old_verify_keys'])) {
    const expiredTs = isJsonInteger(listed['expired_ts']) ? listed['expired_ts'] : 0;
    keys.set(keyId, { keyId, publicKey: textOf(listed['key']), expiredTs });
  }
  for (const [keyId, key] of record.oldVerifyKeys) keys.set(keyId, { keyId, ...key });
  // An id listed both ways is a current key.
  for (const [keyId, listed] of members(record.record['verify_keys'])) {
    keys.set(keyId, { keyId, publicKey: textOf(listed['key']), expiredTs: null });
  }
  for (const [keyId, key] of record.verifyKeys) keys.set(keyId, { keyId, ...key, expiredTs: null });
  return keys;
}

const MAX_KEY_ID_LENGTH = 255;
const CONTROL_CHARACTER = /\p{Cc}/u;

/** Ids that no index can hold are not indexed; a record may list them for algorithms we do not know. */
function members(value: JsonValue | undefined): [string, JsonObject][] {
  if (!isJsonObject(value)) return [];
  return Object.entries(value).filter(
    (entry): entry is [string, JsonObject] =>
      isJsonObject(entry[1]) && entry[0].length <= MAX_KEY_ID_LENGTH && !CONTROL_CHARACTER.test(entry[0]),
  );
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? storableText(value) : '';
}

async function saveRecord(
  tx: DbTransaction,
  fetched: FetchedRecord,
  { isOvertaken } = { isOvertaken: false },
): Promise<number> {
  const key = { serverName: fetched.record.serverName, sha256: fetched.record.sha256 };
  const seenTs = BigInt(fetched.fetchedTs);
  const row = await tx.keyRecord.upsert({
    where: { serverName_sha256: key },
    create: {
      ...key,
      published: new Uint8Array(fetched.published),
      validUntilTs: toColumnTs(fetched.record.validUntilTs),
      firstSeenTs: seenTs,
      lastSeenTs: seenTs,
    },
    update: isOvertaken ? {} : { lastSeenTs: seenTs },
    select: { id: true },
  });
  return row.id;
}

interface KeySave {
  serverName: string;
  recordId: number;
  fetchedTs: number;
  known: readonly VerifyKeyRow[];
  current: ReadonlyMap<string, KnownKey>;
}

async function saveKeys(tx: DbTransaction, save: KeySave): Promise<void> {
  const { serverName, recordId } = save;
  const seenTs = BigInt(save.fetchedTs);
  const knownIds = new Set(save.known.map((row) => row.keyId));
  const added = [...save.current.values()].filter((key) => !knownIds.has(key.keyId));
  const rest = { serverName, recordId, firstSeenTs: seenTs, lastSeenTs: seenTs };
  await inPieces(added, (keys) =>
    tx.verifyKey.createMany({ data: keys.map((key) => ({ ...columnsOf(key), keyId: key.keyId, ...rest })) }),
  );

  const listed = save.known.filter((row) => save.current.has(row.keyId));
  await inPieces(listed, (rows) =>
    tx.verifyKey.updateMany({
      where: { serverName, keyId: { in: rows.map((row) => row.keyId) } },
      data: { recordId, lastSeenTs: seenTs },
    }),
  );
  const changed = listed
    .map((row) => ({ row, columns: columnsOf(save.current.get(row.keyId) ?? row) }))
    .filter(({ row, columns }) => columns.publicKey !== row.publicKey || columns.expiredTs !== row.expiredTs);
  await inPieces(changed, async (rows) => {
    for (const { row, columns } of rows) {
      await tx.verifyKey.update({
        where: { serverName_keyId: { serverName, keyId: row.keyId } },
        data: columns,
      });
    }
  });
}

function columnsOf(key: KnownKey): { publicKey: string; expiredTs: bigint | null } {
  return { publicKey: key.publicKey, expiredTs: key.expiredTs === null ? null : toColumnTs(key.expiredTs) };
}
