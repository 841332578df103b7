import type { Buffer } from 'node:buffer';

import { ApiError } from '../../base/errors/api-error.js';
import { quoteForDetail } from '../../base/text/quote-for-detail.js';
import { isJsonInteger, isJsonObject, type JsonObject, type JsonValue } from '../../base/json/json-value.js';
import {
  decodeBase64,
  encodeBase64,
  isAcceptablePublicKey,
  type PublicKeyRefusal,
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
export function invalidRecord(reason: RecordErrorReason, detail: string): ApiError {
  return new ApiError(502, 'The key record of the remote server was not accepted', {
    reason,
    detail,
  });
}

export const ED25519 = 'ed25519:';
export const MAX_KEY_ID_LENGTH = 255;

/** A listed Ed25519 key: decoded, and what is wrong with it, if anything. */
export interface ListedKey {
  readonly bytes: Buffer;
  /** The same bytes as unpadded standard Base64, however the origin spelled them. */
  readonly publicKey: string;
  readonly error: Exclude<PublicKeyRefusal, 'length'> | 'banned' | null;
}

/** A listed key that is no longer in use; `expiredTs` in POSIX ms. */
export interface ListedOldKey extends ListedKey {
  readonly expiredTs: number | bigint;
}

/**
 * The Ed25519 keys of `verify_keys`. Keys of other algorithms are left out unread. Throws when an entry is no
 * key of 32 bytes or its ID cannot be stored.
 */
export function readVerifyKeys(listed: JsonObject, banned: ReadonlySet<string>): Map<string, ListedKey> {
  const keys = new Map<string, ListedKey>();
  for (const keyId of Object.keys(listed)) {
    if (isEd25519KeyId(keyId)) keys.set(keyId, readKey(keyId, listed[keyId], banned).key);
  }
  return keys;
}

/** The Ed25519 keys of `old_verify_keys`; as `readVerifyKeys`, and each needs an integer `expired_ts` >= 0. */
export function readOldVerifyKeys(
  listed: JsonObject,
  banned: ReadonlySet<string>,
): Map<string, ListedOldKey> {
  const keys = new Map<string, ListedOldKey>();
  for (const keyId of Object.keys(listed)) {
    if (!isEd25519KeyId(keyId)) continue;
    const { key, entry } = readKey(keyId, listed[keyId], banned);
    const expiredTs = entry['expired_ts'];
    if (!isJsonInteger(expiredTs) || expiredTs < 0) {
      throw invalidRecord('record_bad_shape', `old key ${quoteForDetail(keyId)} has no integer expired_ts`);
    }
    keys.set(keyId, { ...key, expiredTs });
  }
  return keys;
}

/** True for IDs of the one algorithm we know. Throws for such an ID that no database column could hold. */
function isEd25519KeyId(keyId: string): boolean {
  if (!keyId.startsWith(ED25519)) return false;
  if (keyId.length > MAX_KEY_ID_LENGTH || hasControlCharacter(keyId)) {
    throw invalidRecord('record_bad_key_id', `key ID ${quoteForDetail(keyId)}`);
  }
  return true;
}

function hasControlCharacter(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}

function readKey(
  keyId: string,
  entry: JsonValue | undefined,
  banned: ReadonlySet<string>,
): { key: ListedKey; entry: JsonObject } {
  const encoded = isJsonObject(entry) ? entry['key'] : undefined;
  if (!isJsonObject(entry) || typeof encoded !== 'string') {
    throw invalidRecord('record_bad_shape', `${quoteForDetail(keyId)} has no string member key`);
  }
  const bytes = decodeBase64(encoded);
  if (bytes === null) throw invalidRecord('record_bad_key', `${quoteForDetail(keyId)} is not Base64`);
  const verdict = isAcceptablePublicKey(bytes);
  if (!verdict.ok && verdict.reason === 'length') {
    throw invalidRecord('record_bad_key', `${quoteForDetail(keyId)} has ${bytes.length} bytes, not 32`);
  }
  const weakness = verdict.ok || verdict.reason === 'length' ? null : verdict.reason;
  const error = weakness ?? (banned.has(bytes.toString('hex')) ? 'banned' : null);
  return { key: { bytes, publicKey: encodeBase64(bytes), error }, entry };
}
