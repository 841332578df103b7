import { Buffer, isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';

import { encodeCanonicalJson, isObject, parseCanonicalJson } from './canonical-json.js';
import { importPublicKey, verifySignature } from './ed25519.js';
import { MAX_ENTRY_BYTES } from './tiles.js';

/**
 * Why there is an entry: the first record of a server; a record with known keys; a key ID that means something else
 * now; a record that was stored while there was no log.
 */
const KEY_ENTRY_EVENTS = ['server_first_seen', 'record', 'keys_changed', 'existing_record'] as const;

export type KeyEntryEvent = (typeof KEY_ENTRY_EVENTS)[number];

/** An entry of a notary's log, about one record. */
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
  content: Readonly<Record<string, unknown>>;
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
  const content = readObject(bytes);
  if (content?.['version'] !== 1) return null;
  const event = KEY_ENTRY_EVENTS.find((each) => each === content['event']);
  const { server_name: serverName, record_sha256: recordSha256, observed_ts: observedTs } = content;
  if (event === undefined || typeof serverName !== 'string' || typeof observedTs !== 'number') return null;
  if (typeof recordSha256 !== 'string' || !SHA256.test(recordSha256)) return null;
  return { event, serverName, recordSha256, observedTs, content };
}

/** Every key ID with its key as published, of all algorithms; leaves out further members of the record. */
function keysOf(listed: unknown): Record<string, object> {
  const keys: Record<string, object> = Object.create(null);
  for (const [keyId, about] of Object.entries(isObject(listed) ? listed : {})) {
    const { key, expired_ts: expiredTs } = isObject(about) ? about : {};
    if (typeof key !== 'string') continue;
    const isTime = typeof expiredTs === 'bigint' || Number.isSafeInteger(expiredTs);
    keys[keyId] = { key, ...(isTime ? { expired_ts: expiredTs } : {}) };
  }
  return keys;
}

/** Honest servers have one to three signing keys; each check takes 0.1 ms. */
const MAX_CHECKED_SIGNATURES = 32;

/**
 * Checks the record that an entry names: it has the entry's hash, its server has signed it, and the entry repeats it
 * correctly. Returns the fault; `null`: there is none.
 */
export function whyRecordRefused(entryBytes: Buffer, entry: KeyEntry, record: Buffer): string | null {
  if (createHash('sha256').update(record).digest('hex') !== entry.recordSha256) return 'record_other_hash';
  const content = readObject(record);
  if (content === null) return 'record_not_canonical_json';
  if (content['server_name'] !== entry.serverName) return 'record_name_mismatch';
  const unsigned = whyNotSigned(content, entry.serverName);
  if (unsigned !== null) return unsigned;
  return encodeKeyEntry(entry, content).equals(entryBytes) ? null : 'entry_not_of_record';
}

/** At least one listed Ed25519 key must have signed, and no signature by a listed key may fail. */
function whyNotSigned(record: Readonly<Record<string, unknown>>, serverName: string): string | null {
  const { signatures, unsigned: _unsigned, ...covered } = record;
  const keys = memberOf(record, 'verify_keys');
  const own = memberOf(signatures, serverName);
  const signed = Object.keys(keys).filter(
    (keyId) => keyId.startsWith('ed25519:') && Object.hasOwn(own, keyId),
  );
  if (signed.length === 0) return 'record_no_signature';
  if (signed.length > MAX_CHECKED_SIGNATURES) return 'record_too_many_signatures';
  const payload = Buffer.from(encodeCanonicalJson(covered));
  const isValid = signed.every((keyId) => {
    const publicKey = importPublicKey(decodeUnpadded(memberOf(keys, keyId)['key']));
    return publicKey !== null && verifySignature(publicKey, payload, decodeUnpadded(own[keyId]));
  });
  return isValid ? null : 'record_bad_signature';
}

function readObject(bytes: Buffer): Readonly<Record<string, unknown>> | null {
  const content = isUtf8(bytes) ? parseCanonicalJson(bytes.toString()) : null;
  return isObject(content) ? content : null;
}

function memberOf(value: unknown, name: string): Readonly<Record<string, unknown>> {
  const member = isObject(value) && Object.hasOwn(value, name) ? value[name] : null;
  return isObject(member) ? member : {};
}

/** Base64 as servers write it: padded or not, of both alphabets. Empty for anything else. */
function decodeUnpadded(text: unknown): Buffer {
  const isBase64 = typeof text === 'string' && /^[\w+/-]*={0,2}$/.test(text);
  return Buffer.from(isBase64 ? text : '', 'base64');
}
