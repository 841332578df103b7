import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

/** An Ed25519 key of a test server. */
export interface TestKey {
  keyId: string;
  privateKey: KeyObject;
  /** Unpadded base64 of the 32 public bytes. */
  publicKey: string;
}

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_KEY_BYTES = 32;

/** A new key; with `seed` (32 bytes) always the same one. */
export function makeTestKey(version: string, seed?: Buffer): TestKey {
  const privateKey =
    seed === undefined
      ? generateKeyPairSync('ed25519').privateKey
      : createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  return { keyId: `ed25519:${version}`, privateKey, publicKey: unpadded(spki.subarray(-PUBLIC_KEY_BYTES)) };
}

/** Independent of the product's encoder: sorts by UTF-8 bytes (which is code-point order), integers only. */
export function simpleCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(simpleCanonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    members.sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${simpleCanonicalJson(member)}`).join(',')}}`;
  }
  return typeof value === 'bigint' ? value.toString() : JSON.stringify(value);
}

export interface KeyRecordOptions {
  serverName: string;
  keys: TestKey[];
  oldKeys?: { key: TestKey; expiredTs: number }[];
  validUntilTs: number | bigint;
  /** Further top-level members, signed like the rest. */
  extra?: Record<string, unknown>;
  /** Keys that sign; all of `keys` by default. */
  signWith?: TestKey[];
  /** Leaves `old_verify_keys` out altogether. */
  withoutOldVerifyKeys?: boolean;
}

/** A signed key record as an object; change it before `simpleCanonicalJson` to spoil it. */
export function makeKeyRecordObject(options: KeyRecordOptions): Record<string, unknown> {
  const { serverName, keys, oldKeys = [], validUntilTs, extra = {}, signWith = keys } = options;
  const payload: Record<string, unknown> = {
    ...extra,
    server_name: serverName,
    valid_until_ts: validUntilTs,
    verify_keys: Object.fromEntries(keys.map(({ keyId, publicKey }) => [keyId, { key: publicKey }])),
  };
  if (options.withoutOldVerifyKeys !== true) {
    payload['old_verify_keys'] = Object.fromEntries(
      oldKeys.map(({ key, expiredTs }) => [key.keyId, { key: key.publicKey, expired_ts: expiredTs }]),
    );
  }
  const { unsigned: _unsigned, ...signed } = payload;
  const bytes = Buffer.from(simpleCanonicalJson(signed));
  const signatures = signWith.map(({ keyId, privateKey }) => [
    keyId,
    unpadded(sign(null, bytes, privateKey)),
  ]);
  return { ...payload, signatures: { [serverName]: Object.fromEntries(signatures) } };
}

/** Bytes of a signed key record, as a server publishes it. */
export function makeKeyRecord(options: KeyRecordOptions): Buffer {
  return Buffer.from(simpleCanonicalJson(makeKeyRecordObject(options)));
}
