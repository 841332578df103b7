import type { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';

import { ApiError } from '../../../base/errors/api-error.js';
import { isJsonObject, type JsonObject } from '../../../base/json/json-value.js';
import { parseStrictJson } from '../../../base/json/strict-json.js';
import { acceptKeyRecord, type KeyRecordPolicy } from '../../key-record/key-record.js';
import { LOG_ENTRY_EVENTS, encodeLogEntry, type LogEntryContent } from '../log-entry.js';

/** An entry of the form of ours (SPEC §4.15.5), without the record it is about. */
export interface FollowedEntry extends Omit<LogEntryContent, 'record'> {
  /** All that it says. */
  content: JsonObject;
}

const SHA256 = /^[0-9a-f]{64}$/;

/** What another notary may have accepted by its own rules is no finding; a record must be signed by its server. */
const POLICY: KeyRecordPolicy = {
  requireAllKeysSigned: false,
  bannedPublicKeys: new Set(),
  maxKeys: Number.MAX_SAFE_INTEGER,
};

/** Reads an entry of any log; `null`: it is of another form. */
export function readFollowedEntry(entry: Buffer): FollowedEntry | null {
  const content = readObject(entry);
  if (content?.['version'] !== 1) return null;
  const event = LOG_ENTRY_EVENTS.find((each) => each === content['event']);
  const { server_name: serverName, record_sha256: recordSha256, observed_ts: observedTs } = content;
  if (event === undefined || typeof serverName !== 'string' || typeof observedTs !== 'number') return null;
  if (typeof recordSha256 !== 'string' || !SHA256.test(recordSha256)) return null;
  return { event, serverName, recordSha256, observedTs, content };
}

/**
 * Checks the record that an entry names: it hashes to that, its server has signed it, and the entry says what it says.
 * Returns what is wrong; `null`: nothing.
 */
export function whyRecordRefused(entry: Buffer, followed: FollowedEntry, record: Buffer): string | null {
  const { serverName, recordSha256 } = followed;
  if (createHash('sha256').update(record).digest('hex') !== recordSha256) return 'record_other_hash';
  try {
    const accepted = acceptKeyRecord(record, serverName, POLICY);
    return encodeLogEntry({ ...followed, record: accepted.record }).equals(entry)
      ? null
      : 'entry_not_of_record';
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.reason ?? 'record_refused';
  }
}

function readObject(bytes: Buffer): JsonObject | null {
  try {
    const value = parseStrictJson(bytes);
    return isJsonObject(value) ? value : null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return null;
  }
}
