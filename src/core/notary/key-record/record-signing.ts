import { Buffer } from 'node:buffer';

import { ApiError } from '../../base/errors/api-error.js';
import {
  encodeCanonicalJsonBytes,
  createJsonObject,
  isJsonInteger,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../base/json/json-value.js';
import { STORED_JSON, parseStrictJson } from '../../base/json/strict-json.js';
import { type AcceptedRecord, signedPayload } from './key-record.js';
import type { SigningKey } from '../signing/signer.js';

const MAX_COLUMN = 2n ** 63n - 1n;
const MIN_COLUMN = -(2n ** 63n);

/** An untrusted time as a column value. Databases hold 64 bits; the exact value stays in the record's bytes. */
export function toColumnTs(ts: number | bigint): bigint {
  const exact = BigInt(ts);
  if (exact > MAX_COLUMN) return MAX_COLUMN;
  return exact < MIN_COLUMN ? MIN_COLUMN : exact;
}

/** A record as it stands in the store, read back. */
export type StoredRecord = ReturnType<typeof readStoredRecord>;

/** A fetched and accepted record, ready to be stored. */
export interface FetchedRecord {
  record: AcceptedRecord;
  /** The bytes as the origin published them. */
  published: Buffer;
  /** When the request was sent, POSIX ms; becomes the record's time added (SPEC §4.4.4). */
  fetchedTs: number;
}

/** Reads a row of key_record back. Throws when the stored bytes are damaged, since only accepted ones are ever stored. */
export function readStoredRecord(row: { id: number; published: Uint8Array; lastSeenTs: number }) {
  const published = Buffer.from(row.published.buffer, row.published.byteOffset, row.published.byteLength);
  const { record, validUntilTs } = parseStoredRecord(row.id, published);
  return { id: row.id, published, addedTs: row.lastSeenTs, validUntilTs, keyIds: keyIdsOf(record) };
}

/** What a row's bytes say, and until when exactly. Throws as `readStoredRecord`. */
export function parseStoredRecord(
  id: number,
  published: Uint8Array,
): { record: JsonObject; validUntilTs: number | bigint } {
  const record = parseObject(published);
  const { valid_until_ts: validUntilTs } = record;
  if (!isJsonInteger(validUntilTs)) throw new Error(`key_record ${id} is damaged: no valid_until_ts`);
  return { record, validUntilTs };
}

function parseObject(published: Uint8Array): JsonObject {
  const record = parseStrictJson(published, STORED_JSON);
  if (isJsonObject(record)) return record;
  throw new Error('a stored key record is damaged: no JSON object');
}

/** Verify keys and old verify keys of a record. */
export function keyIdsOf(record: JsonObject): string[] {
  return [...memberNames(record['verify_keys']), ...memberNames(record['old_verify_keys'])];
}

function memberNames(value: JsonValue | undefined): string[] {
  return isJsonObject(value) ? Object.keys(value) : [];
}

/** One of our keys that is no longer used; `publicKey` is unpadded Base64, `expiredTs` POSIX ms. */
export interface RetiredKey {
  readonly keyId: string;
  readonly publicKey: string;
  readonly expiredTs: number;
}

/**
 * Canonical bytes of a stored record with one signature per key of ours added. Whatever stands under our own
 * name is dropped first: only real signatures of ours may. The exception is the record of that very name, published by
 * a homeserver we share it with: its own signatures stay, since without them nobody would accept it. All else,
 * `unsigned` included, stays. Only for records that were accepted: this must never become a way to get free JSON signed.
 */
export function signRecord(published: Uint8Array, ownName: string, keys: readonly SigningKey[]): Buffer {
  const record = parseObject(published);
  const ours = record['server_name'] === ownName ? listedSignatures(record, ownName) : createJsonObject();
  const payload = signedPayload(record);
  for (const key of keys) ours[key.keyId] ??= key.sign(payload);
  const { signatures } = record;
  record['signatures'] = jsonObject(isJsonObject(signatures) ? signatures : {}, { [ownName]: ours });
  return encodeCanonicalJsonBytes(record);
}

/** Signatures by keys that the record lists; those were verified when it was accepted. */
function listedSignatures(record: JsonObject, ownName: string): JsonObject {
  const { signatures, verify_keys: listed } = record;
  const own = isJsonObject(signatures) ? signatures[ownName] : undefined;
  const kept = createJsonObject();
  if (!isJsonObject(own) || !isJsonObject(listed)) return kept;
  for (const [keyId, signature] of Object.entries(own)) {
    if (Object.hasOwn(listed, keyId)) kept[keyId] = signature;
  }
  return kept;
}

/**
 * Our own record for `/key/v2/server` (Matrix spec, "Publishing Keys"): canonical, signed by every active key with
 * tweetnacl and verified with node:crypto.
 * Throws `ApiError` 500 without an active key or when a retired key has the ID of an active one.
 */
export function buildOwnRecord(parts: {
  serverName: string;
  activeKeys: readonly SigningKey[];
  retiredKeys: readonly RetiredKey[];
  validUntilTs: number;
}): Buffer {
  const { serverName, activeKeys, retiredKeys, validUntilTs } = parts;
  const verifyKeys = createJsonObject();
  for (const key of activeKeys) verifyKeys[key.keyId] = jsonObject({ key: key.publicKeyBase64 });
  const oldVerifyKeys = createJsonObject();
  for (const { keyId, publicKey, expiredTs } of retiredKeys) {
    if (verifyKeys[keyId] !== undefined) throw badKeySet(`${keyId} is both active and retired`);
    oldVerifyKeys[keyId] = jsonObject({ key: publicKey, expired_ts: expiredTs });
  }
  if (activeKeys.length === 0) throw badKeySet('there is no active key');
  const record = jsonObject({
    server_name: serverName,
    valid_until_ts: validUntilTs,
    verify_keys: verifyKeys,
    old_verify_keys: oldVerifyKeys,
  });
  const payload = encodeCanonicalJsonBytes(record);
  const ours = createJsonObject();
  for (const key of activeKeys) ours[key.keyId] ??= key.signOwn(payload);
  record['signatures'] = jsonObject({ [serverName]: ours });
  return encodeCanonicalJsonBytes(record);
}

function jsonObject(...members: Record<string, JsonValue>[]): JsonObject {
  return Object.assign(createJsonObject(), ...members);
}

function badKeySet(detail: string): ApiError {
  return new ApiError(500, `Signing keys: ${detail}`, { reason: 'signing_key_set', detail });
}

/**
 * Bytes of `{"server_keys": [...]}`: in one piece up to `LARGE_ANSWER_BYTES`, else in parts, which are shared with the
 * cache; `bytes`: all of them together.
 */
export type KeyAnswer = Buffer | { readonly parts: readonly Buffer[]; readonly bytes: number };

/** Larger answers are not copied for each request. */
export const LARGE_ANSWER_BYTES = 1024 * 1024;

const OPENING = Buffer.from('{"server_keys":[');
const COMMA = 0x2c;
const SEPARATOR = Buffer.from([COMMA]);
const CLOSING = Buffer.from(']}');

/**
 * `{"server_keys": [...]}` with every record once (SPEC §4.4.7); a stale record is better than none. Written in one
 * piece, because for a hundred servers this is most of the work.
 */
export function renderAnswer(records: readonly { element(): Buffer }[]): KeyAnswer {
  const elements: Buffer[] = [];
  let length = OPENING.length + CLOSING.length;
  for (const record of records) {
    const element = record.element();
    elements.push(element);
    length += element.length + 1;
  }
  const bytes = elements.length === 0 ? length : length - 1;
  if (bytes <= LARGE_ANSWER_BYTES) return inOnePiece(elements, bytes);
  const parts = elements.flatMap((element) => [SEPARATOR, element]);
  parts[0] = OPENING;
  parts.push(CLOSING);
  return { parts, bytes };
}

function inOnePiece(elements: readonly Buffer[], bytes: number): Buffer {
  const answer = Buffer.allocUnsafe(bytes);
  answer.set(OPENING, 0);
  let at = OPENING.length;
  for (const element of elements) {
    if (at > OPENING.length) answer[at++] = COMMA;
    answer.set(element, at);
    at += element.length;
  }
  answer.set(CLOSING, at);
  return answer;
}
