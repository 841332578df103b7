import { randomBytes, sign, type KeyObject } from 'node:crypto';

import { encodeCanonicalJson } from '../../src/canonical-json.js';
import { keyPairOf } from '../../src/ed25519.js';

/** An Ed25519 key of a server; `publicKey` is unpadded Base64. */
export interface TestKey {
  keyId: string;
  privateKey: KeyObject;
  publicKey: string;
}

export interface KeyRecordOptions {
  serverName: string;
  keys: TestKey[];
  oldKeys?: TestKey[];
  validUntilTs: number;
  /** Keys that sign; all of `keys` by default. */
  signWith?: TestKey[];
}

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

export function makeTestKey(version: string): TestKey {
  const { privateKey, publicKey } = keyPairOf(randomBytes(32));
  return { keyId: `ed25519:${version}`, privateKey, publicKey: unpadded(publicKey) };
}

/** Bytes of a signed key record, as a server publishes it. */
export function makeKeyRecord(options: KeyRecordOptions): Buffer {
  const { serverName, keys, oldKeys = [], validUntilTs, signWith = keys } = options;
  const listed = (each: TestKey[], more = {}) =>
    Object.fromEntries(each.map(({ keyId, publicKey }) => [keyId, { key: publicKey, ...more }]));
  const payload = {
    server_name: serverName,
    valid_until_ts: validUntilTs,
    verify_keys: listed(keys),
    old_verify_keys: listed(oldKeys, { expired_ts: 1 }),
  };
  const bytes = Buffer.from(encodeCanonicalJson(payload));
  const own = signWith.map(({ keyId, privateKey }) => [keyId, unpadded(sign(null, bytes, privateKey))]);
  const signatures = { [serverName]: Object.fromEntries(own) as Record<string, string> };
  return Buffer.from(encodeCanonicalJson({ ...payload, signatures }));
}
