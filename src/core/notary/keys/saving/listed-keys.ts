import {
  isJsonInteger,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../../base/json/json-value.js';
import type { AcceptedRecord } from '../../key-record/key-record.js';
import { storableText } from '../../../base/text/storable-text.js';
import { MAX_KEY_ID_LENGTH } from '../../key-record/record-keys.js';
import type { KnownKey } from '../key-changes.js';

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
