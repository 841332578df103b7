import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';

import { ApiError } from '../../base/errors/api-error.js';
import {
  encodeCanonicalJsonBytes,
  createJsonObject,
  isJsonInteger,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../base/json/json-value.js';
import { MAX_JSON_VALUES, parseStrictJson } from '../../base/json/strict-json.js';
import { quoteForDetail } from '../../base/text/strings.js';
import {
  decodeBase64,
  encodeBase64,
  publicKeyRefusal,
  type PublicKeyRefusal,
  verifyEd25519,
} from '../signing/signer.js';

/** Why a fetched key record is refused; the `reason` of the error. JSON errors keep the parser's own reason. */
export type RecordErrorReason =
  | 'record_not_object'
  | 'record_name_mismatch'
  | 'record_bad_validity'
  | 'record_bad_shape'
  | 'record_bad_key'
  | 'record_bad_key_id'
  | 'record_weak_key'
  | 'record_banned_key'
  | 'record_too_many_keys'
  | 'record_no_signature'
  | 'record_bad_signature'
  | 'record_too_many_signatures'
  | 'record_unproven_key';

/** 502 for a record that is not accepted. `detail` is for operators and may quote the record (cut short). */
function invalidRecord(reason: RecordErrorReason, detail: string): ApiError {
  return new ApiError(502, 'The key record of the remote server was not accepted', {
    reason,
    detail,
  });
}

export const ED25519 = 'ed25519:';
const MAX_KEY_ID_LENGTH = 255;
const CONTROL_CHARACTER = /\p{Cc}/u;

/** Whether a database column can hold it. */
export function isStorableKeyId(keyId: string): boolean {
  return keyId.length <= MAX_KEY_ID_LENGTH && !CONTROL_CHARACTER.test(keyId);
}

/** An Ed25519 key as a record lists it, and what is wrong with it, if anything. */
interface ListedKey {
  keyId: string;
  entry: JsonObject;
  /** Unpadded standard Base64, however the origin spelled it. */
  publicKey: string;
  error: PublicKeyRefusal | 'banned' | null;
}

/**
 * The Ed25519 keys among listed ones; others are left out unread. Throws for one that is no key of 32 bytes, or whose
 * ID no database column could hold.
 */
function* readKeys(listed: JsonObject, banned: ReadonlySet<string>): Generator<ListedKey> {
  for (const keyId of Object.keys(listed)) {
    if (!keyId.startsWith(ED25519)) continue;
    if (!isStorableKeyId(keyId)) throw invalidRecord('record_bad_key_id', `key ID ${quoteForDetail(keyId)}`);
    const entry = listed[keyId];
    const encoded = isJsonObject(entry) ? entry['key'] : undefined;
    if (!isJsonObject(entry) || typeof encoded !== 'string')
      throw invalidRecord('record_bad_shape', `${quoteForDetail(keyId)} has no string member key`);
    const bytes = decodeBase64(encoded);
    if (bytes === null) throw invalidRecord('record_bad_key', `${quoteForDetail(keyId)} is not Base64`);
    const refusal = publicKeyRefusal(bytes);
    if (refusal === 'length')
      throw invalidRecord('record_bad_key', `${quoteForDetail(keyId)} has ${bytes.length} bytes, not 32`);
    const error = refusal ?? (banned.has(bytes.toString('hex')) ? 'banned' : null);
    yield { keyId, entry, publicKey: encodeBase64(bytes), error };
  }
}

/**
 * The bytes a signature covers: canonical JSON of the object without its top-level `signatures` and
 * `unsigned` (Matrix spec, appendix "Signing JSON"). Nested members of these names stay.
 */
export function signedPayload(object: JsonObject): Buffer {
  const covered = createJsonObject();
  for (const name of Object.keys(object)) {
    const value = object[name];
    if (value !== undefined && name !== 'signatures' && name !== 'unsigned') covered[name] = value;
  }
  return encodeCanonicalJsonBytes(covered);
}

/** Each check costs about 0.1 ms of the event loop; honest servers have one to three signing keys. */
const MAX_CHECKED_SIGNATURES = 32;

/**
 * Key IDs of the listed keys whose signature under the server's own name verifies. Every such signature is
 * checked, so the order does not matter. Throws when there is none, one fails, or there are more than 32.
 */
function findProvenKeys(
  own: JsonValue | undefined,
  payload: Buffer,
  keys: AcceptedRecord['verifyKeys'],
): Set<string> {
  if (!isJsonObject(own)) {
    throw invalidRecord('record_no_signature', 'no signatures under the name of the server');
  }
  const signed = [...keys].filter(([keyId]) => own[keyId] !== undefined);
  if (signed.length === 0) throw invalidRecord('record_no_signature', 'no signature by a listed verify key');
  if (signed.length > MAX_CHECKED_SIGNATURES) {
    throw invalidRecord(
      'record_too_many_signatures',
      `${signed.length} signatures, at most ${MAX_CHECKED_SIGNATURES}`,
    );
  }
  for (const [keyId, { publicKey }] of signed) {
    const encoded = own[keyId];
    const signature = typeof encoded === 'string' ? decodeBase64(encoded) : null;
    if (signature === null || !verifyEd25519(Buffer.from(publicKey, 'base64'), payload, signature)) {
      throw invalidRecord(
        'record_bad_signature',
        `the signature by ${quoteForDetail(keyId)} does not verify`,
      );
    }
  }
  return new Set(signed.map(([keyId]) => keyId));
}

/** What may differ from one notary to the next. */
export interface KeyRecordPolicy {
  /** Refuse records in which some listed Ed25519 verify key did not sign; otherwise they are listed as unproven. */
  readonly requireAllKeysSigned: boolean;
  /** Public keys (32 bytes, lower-case hex) that nobody may use as verify keys. */
  readonly bannedPublicKeys: ReadonlySet<string>;
  /** Most entries of `verify_keys` and `old_verify_keys` together. */
  readonly maxKeys: number;
}

/** A record that its origin published and signed. Maps hold Ed25519 keys only. */
export interface AcceptedRecord {
  readonly serverName: string;
  /** POSIX ms, exact; any size. */
  readonly validUntilTs: number | bigint;
  /** By key ID; `publicKey` is unpadded standard Base64. */
  readonly verifyKeys: Map<string, { publicKey: string }>;
  /** As `verifyKeys`; without keys that are weak or banned. */
  readonly oldVerifyKeys: Map<string, { publicKey: string; expiredTs: number | bigint }>;
  /** Listed verify keys that did not sign the record. */
  readonly unprovenKeyIds: string[];
  /** Canonical bytes the origin's signatures cover. */
  readonly payload: Buffer;
  /** SHA-256 (hex) of the canonical form of the whole record. */
  readonly sha256: string;
  readonly record: JsonObject;
}

/**
 * Checks a fetched key record (Matrix spec, "Publishing Keys") and reads it. The verdict does not depend on the
 * order of members or signatures: at least one listed verify key signed, and no listed verify key's signature
 * fails. Signatures by other keys and other names are ignored. Throws `ApiError` 502; its reason says why.
 */
export function acceptKeyRecord(
  body: Uint8Array,
  serverName: string,
  policy: KeyRecordPolicy,
): AcceptedRecord {
  const record = parseRecord(body, policy.maxKeys);
  const { server_name: named, valid_until_ts: validUntilTs } = record;
  if (named !== serverName) {
    const got = typeof named === 'string' ? quoteForDetail(named) : 'no string';
    throw invalidRecord('record_name_mismatch', `asked ${serverName}, got ${got}`);
  }
  if (!isJsonInteger(validUntilTs) || validUntilTs < 0) {
    throw invalidRecord('record_bad_validity', 'valid_until_ts is not an integer >= 0');
  }
  const keys = acceptKeys(record, policy);
  const payload = signedPayload(record);
  const { signatures } = record;
  const own = isJsonObject(signatures) ? signatures[serverName] : undefined;
  const proven = findProvenKeys(own, payload, keys.verifyKeys);
  const unprovenKeyIds = [...keys.verifyKeys.keys()].filter((keyId) => !proven.has(keyId));
  if (policy.requireAllKeysSigned && unprovenKeyIds.length > 0) {
    throw invalidRecord('record_unproven_key', `not signed by ${quoteForDetail(unprovenKeyIds[0] ?? '')}`);
  }
  return {
    serverName,
    validUntilTs,
    ...keys,
    unprovenKeyIds,
    payload,
    sha256: createHash('sha256').update(encodeCanonicalJsonBytes(record)).digest('hex'),
    record,
  };
}

/** An old key is an object of two values, and as much again for its signatures. */
const VALUES_OF_KEY = 6;

/** A syntax error keeps the parser's reason, but the remote server made it: 502, not 400. */
function parseRecord(body: Uint8Array, maxKeys: number): JsonObject {
  let value: JsonValue;
  try {
    value = parseStrictJson(body, { maxValues: Math.max(MAX_JSON_VALUES, VALUES_OF_KEY * maxKeys) });
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause;
    throw new ApiError(502, 'The key record of the remote server was not accepted', {
      cause,
      reason: cause.reason ?? 'json_syntax',
      detail: cause.detail ?? cause.message,
    });
  }
  if (!isJsonObject(value)) throw invalidRecord('record_not_object', 'the answer is not a JSON object');
  return value;
}

/** Each old key needs an integer `expired_ts` >= 0. */
function acceptKeys(
  record: JsonObject,
  { maxKeys, bannedPublicKeys }: KeyRecordPolicy,
): Pick<AcceptedRecord, 'verifyKeys' | 'oldVerifyKeys'> {
  const { verify_keys: listed, old_verify_keys: oldListed = createJsonObject() } = record;
  if (!isJsonObject(listed)) throw invalidRecord('record_bad_shape', 'verify_keys is not an object');
  if (!isJsonObject(oldListed)) throw invalidRecord('record_bad_shape', 'old_verify_keys is not an object');
  const count = Object.keys(listed).length + Object.keys(oldListed).length;
  if (count > maxKeys) throw invalidRecord('record_too_many_keys', `${count} keys, at most ${maxKeys}`);
  const verifyKeys: AcceptedRecord['verifyKeys'] = new Map();
  const oldVerifyKeys: AcceptedRecord['oldVerifyKeys'] = new Map();
  for (const { keyId, publicKey, error } of readKeys(listed, bannedPublicKeys)) {
    if (error === 'banned') throw invalidRecord('record_banned_key', `${quoteForDetail(keyId)} is banned`);
    if (error !== null) throw invalidRecord('record_weak_key', `${quoteForDetail(keyId)}: ${error}`);
    verifyKeys.set(keyId, { publicKey });
  }
  for (const { keyId, entry, publicKey, error } of readKeys(oldListed, bannedPublicKeys)) {
    const { expired_ts: expiredTs } = entry;
    if (!isJsonInteger(expiredTs) || expiredTs < 0)
      throw invalidRecord('record_bad_shape', `old key ${quoteForDetail(keyId)} has no integer expired_ts`);
    if (error === null) oldVerifyKeys.set(keyId, { publicKey, expiredTs });
  }
  return { verifyKeys, oldVerifyKeys };
}
