import { Buffer } from 'node:buffer';

import { encodeCanonicalJsonBytes } from '../../base/json/canonical-json.js';
import {
  createJsonObject,
  isJsonInteger,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../base/json/json-value.js';

/**
 * Why there is an entry: the first record of a server; a record with the keys that were known already; a key ID that
 * means something else now; a record that was stored before the log began, or while it was off.
 */
export const LOG_ENTRY_EVENTS = ['server_first_seen', 'record', 'keys_changed', 'existing_record'] as const;

export type LogEntryEvent = (typeof LOG_ENTRY_EVENTS)[number];

/** What an entry says (SPEC §4.15.5). */
export interface LogEntryContent {
  event: LogEntryEvent;
  serverName: string;
  /** SHA-256 (hex) of the canonical form of the whole record. */
  recordSha256: string;
  record: JsonObject;
  /** When the request for it was sent, POSIX ms. */
  observedTs: number;
}

/** A bundle states the length of an entry in 16 bits. */
export const MAX_ENTRY_BYTES = 65_535;

/** The entry's bytes, canonical JSON. One that is too large leaves the keys to the record. */
export function encodeLogEntry(content: LogEntryContent): Buffer {
  const { event, serverName, recordSha256, record, observedTs } = content;
  const members = {
    event,
    observed_ts: observedTs,
    record_sha256: recordSha256,
    server_name: serverName,
    valid_until_ts: record['valid_until_ts'] ?? 0,
    version: 1,
  };
  const entry = encodeCanonicalJsonBytes({
    ...members,
    verify_keys: keysOf(record['verify_keys']),
    old_verify_keys: keysOf(record['old_verify_keys']),
  });
  return entry.length <= MAX_ENTRY_BYTES ? entry : encodeCanonicalJsonBytes(members);
}

/** Every key ID with its key as published, of all algorithms; further members of the record stay there. */
function keysOf(listed: JsonValue | undefined): JsonObject {
  const keys = createJsonObject();
  if (!isJsonObject(listed)) return keys;
  for (const [keyId, about] of Object.entries(listed)) {
    if (!isJsonObject(about) || typeof about['key'] !== 'string') continue;
    const expiredTs = about['expired_ts'];
    keys[keyId] = {
      key: about['key'],
      ...(isJsonInteger(expiredTs) ? { expired_ts: expiredTs } : {}),
    };
  }
  return keys;
}
