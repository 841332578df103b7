import { CLOCKS_APART_MS } from '../../../base/clock.js';
import {
  type JsonObject,
  type JsonValue,
  isJsonInteger,
  isJsonObject,
} from '../../../base/json/json-value.js';
import { storableText } from '../../../base/text/storable-text.js';
import { toColumnTs } from '../../key-record/stored-record.js';
import type { AcceptedRecord } from '../../key-record/key-record.js';
import { MAX_KEY_ID_LENGTH } from '../../key-record/record-keys.js';
import type { KnownKey } from '../key-changes.js';
import { createRows, type DbTransaction } from '../../../store/db.js';

/** A row of verify_key. */
export interface VerifyKeyRow extends KnownKey {
  recordId: number;
  expiredTs: bigint | null;
  firstSeenTs: bigint;
  lastSeenTs: bigint;
}

/** The keys of one server's record, and the rows that are stored of the server. */
export interface KeySave {
  serverName: string;
  recordId: number;
  fetchedTs: number;
  known: readonly VerifyKeyRow[];
  current: ReadonlyMap<string, KnownKey>;
}

/** The rows of each server, inside the caller's transaction. */
export async function findKeyRows(
  { verifyKey }: DbTransaction,
  serverNames: readonly string[],
): Promise<Map<string, VerifyKeyRow[]>> {
  const found = new Map(serverNames.map((serverName): [string, VerifyKeyRow[]] => [serverName, []]));
  const rows = await verifyKey.findMany({ where: { serverName: { in: [...serverNames] } } });
  for (const row of rows) found.get(row.serverName)?.push(row);
  return found;
}

/** Points every listed key id to its record, inside the caller's transaction. */
export async function saveKeys({ verifyKey }: DbTransaction, saves: readonly KeySave[]): Promise<void> {
  const added: (VerifyKeyRow & { serverName: string })[] = [];
  for (const { serverName, recordId, fetchedTs, known, current } of saves) {
    const seenTs = BigInt(fetchedTs);
    const rows = new Map(known.map((row) => [row.keyId, row]));
    const unchanged: string[] = [];
    // A later fetch may have been stored since the rows were read.
    const where = {
      serverName,
      OR: [{ lastSeenTs: { lte: seenTs } }, { lastSeenTs: { gt: seenTs + BigInt(CLOCKS_APART_MS) } }],
    };
    const data = { recordId, lastSeenTs: seenTs };
    for (const { keyId, publicKey, expiredTs: expired } of current.values()) {
      const expiredTs = expired === null ? null : toColumnTs(expired);
      const row = rows.get(keyId);
      if (row === undefined)
        added.push({ serverName, keyId, publicKey, expiredTs, firstSeenTs: seenTs, ...data });
      else if (row.publicKey === publicKey && row.expiredTs === expiredTs) unchanged.push(keyId);
      else
        await verifyKey.updateMany({ where: { ...where, keyId }, data: { ...data, publicKey, expiredTs } });
    }
    if (unchanged.length > 0)
      await verifyKey.updateMany({ where: { ...where, keyId: { in: unchanged } }, data });
  }
  // A key that another instance added meanwhile is a conflict: what is news has to be found out again.
  await createRows((piece) => verifyKey.createMany(piece), added);
}

/** Every key id a record lists, of algorithms we do not know too: all of them stay answerable. */
export function listedKeys(
  record: Pick<AcceptedRecord, 'record' | 'verifyKeys' | 'oldVerifyKeys'>,
): Map<string, KnownKey> {
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

/**
 * Records of one server that stay answerable. Without a bound an origin that renames its keys all the time could
 * make the answer for "all keys" as large as it likes.
 */
const MAX_ANSWERABLE_RECORDS = 64;

/** A key id that the newest record no longer lists, with the record it points to. */
export interface VanishedKey {
  recordId: number;
  firstSeenTs: bigint;
  lastSeenTs: bigint;
}

/**
 * Takes vanished keys out of the index, inside the caller's transaction, when they lead to more records than are
 * answered: those that were in use for the shortest time, so that nobody who got hold of an origin for a while can
 * push out the keys it really used. The records themselves stay in the history.
 */
export async function forgetBriefestVanished(
  { verifyKey }: DbTransaction,
  serverName: string,
  vanished: readonly VanishedKey[],
): Promise<void> {
  const usedMs = new Map<number, bigint>();
  for (const { recordId, firstSeenTs, lastSeenTs } of vanished) {
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
