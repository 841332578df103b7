import type { Buffer } from 'node:buffer';
import { ApiError } from '../../base/errors/api-error.js';
import { encodeCanonicalJsonBytes } from '../../base/json/canonical-json.js';
import {
  createJsonObject,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../base/json/json-value.js';
import { STORED_JSON, parseStrictJson } from '../../base/json/strict-json.js';
import { signedPayload } from './key-record.js';
import type { SigningKey } from '../signing/signer.js';

/** One of our keys that is no longer used; `publicKey` is unpadded Base64, `expiredTs` POSIX ms. */
export interface RetiredKey {
  readonly keyId: string;
  readonly publicKey: string;
  readonly expiredTs: number;
}

/** What our own record is made of. */
export interface OwnRecordParts {
  readonly serverName: string;
  readonly activeKeys: readonly SigningKey[];
  readonly retiredKeys: readonly RetiredKey[];
  /** POSIX ms. */
  readonly validUntilTs: number;
}

/**
 * Canonical bytes of a stored record with one signature per key of ours added. Whatever stands under our own
 * name is dropped first: only real signatures of ours may. The exception is the record of that very name, published by
 * a homeserver we share it with: its own signatures stay, since without them nobody would accept it. All else,
 * `unsigned` included, stays. Only for records that were accepted: this must never become a way to get free JSON signed.
 */
export function signRecord(published: Uint8Array, ownName: string, keys: readonly SigningKey[]): Buffer {
  const record = parseStored(published);
  const kept = record['server_name'] === ownName ? listedSignatures(record, ownName) : createJsonObject();
  return withSignatures(record, ownName, { keys, kept, sign: (key, payload) => key.sign(payload) });
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
export function buildOwnRecord(parts: OwnRecordParts): Buffer {
  const verifyKeys = createJsonObject();
  for (const key of parts.activeKeys) verifyKeys[key.keyId] = jsonObject({ key: key.publicKeyBase64 });
  const oldVerifyKeys = createJsonObject();
  for (const { keyId, publicKey, expiredTs } of parts.retiredKeys) {
    if (verifyKeys[keyId] !== undefined) throw badKeySet(`${keyId} is both active and retired`);
    oldVerifyKeys[keyId] = jsonObject({ key: publicKey, expired_ts: expiredTs });
  }
  if (parts.activeKeys.length === 0) throw badKeySet('there is no active key');
  const record = jsonObject({
    server_name: parts.serverName,
    valid_until_ts: parts.validUntilTs,
    verify_keys: verifyKeys,
    old_verify_keys: oldVerifyKeys,
  });
  return withSignatures(record, parts.serverName, {
    keys: parts.activeKeys,
    kept: createJsonObject(),
    sign: (key, payload) => key.signOwn(payload),
  });
}

function parseStored(published: Uint8Array): JsonObject {
  const record = parseStrictJson(published, STORED_JSON);
  if (isJsonObject(record)) return record;
  throw new ApiError(500, 'Stored key record is damaged', { reason: 'record_not_object' });
}

interface Signing {
  keys: readonly SigningKey[];
  kept: JsonObject;
  sign: (key: SigningKey, payload: Uint8Array) => string;
}

/** Consumes `record`. `kept` are the signatures under our own name that stay, whatever `keys` have the same IDs. */
function withSignatures(record: JsonObject, ownName: string, { keys, kept, sign }: Signing): Buffer {
  const payload = signedPayload(record);
  const ours = jsonObject(kept);
  for (const key of keys) ours[key.keyId] ??= sign(key, payload);
  const published = record['signatures'];
  const signatures = jsonObject(isJsonObject(published) ? published : {});
  signatures[ownName] = ours;
  record['signatures'] = signatures;
  return encodeCanonicalJsonBytes(record);
}

function jsonObject(members: Record<string, JsonValue>): JsonObject {
  return Object.assign(createJsonObject(), members);
}

function badKeySet(detail: string): ApiError {
  return new ApiError(500, `Signing keys: ${detail}`, { reason: 'signing_key_set', detail });
}
