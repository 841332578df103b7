import { Buffer, isUtf8 } from 'node:buffer';

import { MAX_ENTRY_BYTES } from '../tree/tiles.js';
import { encodeCanonicalJson, isObject, parseCanonicalJson, type CanonicalObject } from './canonical-json.js';

/**
 * Why there is an entry: the first record of a server; a record with the keys that were known already; a key ID that
 * means something else now; a record that was stored before the log began, or while it was off.
 */
export const KEY_ENTRY_EVENTS = ['server_first_seen', 'record', 'keys_changed', 'existing_record'] as const;

export type KeyEntryEvent = (typeof KEY_ENTRY_EVENTS)[number];

/** An entry of a notary's log: the record it vouches for. */
export interface KeyEntry {
  event: KeyEntryEvent;
  serverName: string;
  /** SHA-256 (hex) of the canonical form of the whole record. */
  recordSha256: string;
  /** When the request for it was sent, POSIX ms. */
  observedTs: number;
}

/** An entry as read from a log, with all its members. */
export interface ReadKeyEntry extends KeyEntry {
  content: CanonicalObject;
}

const SHA256 = /^[0-9a-f]{64}$/;

/** The entry's bytes, canonical JSON. An entry that would be too large leaves the keys to the record. */
export function encodeKeyEntry(
  { event, serverName, recordSha256, observedTs }: KeyEntry,
  record: Readonly<Record<string, unknown>>,
): Buffer {
  const members = {
    event,
    observed_ts: observedTs,
    record_sha256: recordSha256,
    server_name: serverName,
    valid_until_ts: record['valid_until_ts'] ?? 0,
    version: 1,
  };
  const keys = {
    verify_keys: keysOf(record['verify_keys']),
    old_verify_keys: keysOf(record['old_verify_keys']),
  };
  const entry = Buffer.from(encodeCanonicalJson({ ...members, ...keys }));
  return entry.length <= MAX_ENTRY_BYTES ? entry : Buffer.from(encodeCanonicalJson(members));
}

/** Reads an entry of any log; `null`: it has another form. */
export function readKeyEntry(bytes: Buffer): ReadKeyEntry | null {
  const content = isUtf8(bytes) ? parseCanonicalJson(bytes.toString()) : null;
  if (!isObject(content) || content['version'] !== 1) return null;
  const event = KEY_ENTRY_EVENTS.find((each) => each === content['event']);
  const { server_name: serverName, record_sha256: recordSha256, observed_ts: observedTs } = content;
  if (event === undefined || typeof serverName !== 'string' || typeof observedTs !== 'number') return null;
  if (typeof recordSha256 !== 'string' || !SHA256.test(recordSha256)) return null;
  return { event, serverName, recordSha256, observedTs, content };
}

/** Every key ID with its key as published, of all algorithms; further members of the record are left out. */
function keysOf(listed: unknown): Record<string, object> {
  const keys: Record<string, object> = Object.create(null);
  for (const [keyId, about] of Object.entries(membersOf(listed))) {
    const { key, expired_ts: expiredTs } = membersOf(about);
    if (typeof key !== 'string') continue;
    const isTime = typeof expiredTs === 'bigint' || Number.isSafeInteger(expiredTs);
    keys[keyId] = { key, ...(isTime ? { expired_ts: expiredTs } : {}) };
  }
  return keys;
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {};
}
