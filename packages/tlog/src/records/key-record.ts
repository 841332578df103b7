import { Buffer, isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';

import { Ed25519Verifier } from '../notes/ed25519.js';
import {
  encodeCanonicalJson,
  isObject,
  parseCanonicalJson,
  type CanonicalObject,
  type CanonicalValue,
} from './canonical-json.js';
import { encodeKeyEntry, type KeyEntry } from './key-entry.js';

const ED25519 = 'ed25519:';
/** Honest servers have one to three signing keys; each check takes 0.1 ms. */
const MAX_CHECKED_SIGNATURES = 32;

/**
 * Checks the record that an entry names: it has the entry's hash, its server has signed it, and the entry repeats it
 * correctly. Returns the fault; `null`: there is none.
 */
export function whyRecordRefused(entryBytes: Buffer, entry: KeyEntry, record: Buffer): string | null {
  if (createHash('sha256').update(record).digest('hex') !== entry.recordSha256) return 'record_other_hash';
  const content = isUtf8(record) ? parseCanonicalJson(record.toString()) : null;
  if (!isObject(content)) return 'record_not_canonical_json';
  if (content['server_name'] !== entry.serverName) return 'record_name_mismatch';
  const unsigned = whyNotSigned(content, entry.serverName);
  if (unsigned !== null) return unsigned;
  return encodeKeyEntry(entry, content).equals(entryBytes) ? null : 'entry_not_of_record';
}

/** At least one listed Ed25519 key must have signed, and no signature by a listed key may fail. */
function whyNotSigned(record: CanonicalObject, serverName: string): string | null {
  const keys = objectIn(record['verify_keys']);
  const signatures = objectIn(objectIn(record['signatures'])[serverName]);
  const signed = Object.keys(keys).filter((keyId) => keyId.startsWith(ED25519) && keyId in signatures);
  if (signed.length === 0) return 'record_no_signature';
  if (signed.length > MAX_CHECKED_SIGNATURES) return 'record_too_many_signatures';
  const { signatures: _signatures, unsigned: _unsigned, ...covered } = record;
  const payload = Buffer.from(encodeCanonicalJson(covered));
  const isValid = signed.every((keyId) => {
    const publicKey = decodeUnpadded(objectIn(keys[keyId])['key']);
    const signature = decodeUnpadded(signatures[keyId]);
    const verifier = publicKey === null ? null : Ed25519Verifier.create(publicKey);
    return signature !== null && verifier !== null && verifier.verify(payload, signature);
  });
  return isValid ? null : 'record_bad_signature';
}

function objectIn(value: CanonicalValue | undefined): CanonicalObject {
  return isObject(value) ? value : {};
}

/** Base64 as servers write it: padded or not, of both alphabets. */
function decodeUnpadded(text: CanonicalValue | undefined): Buffer | null {
  return typeof text === 'string' && /^[\w+/-]*={0,2}$/.test(text) ? Buffer.from(text, 'base64') : null;
}
