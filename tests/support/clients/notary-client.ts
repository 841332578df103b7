import { createPublicKey, verify } from 'node:crypto';

import { simpleCanonicalJson } from '../origins/key-record-maker.js';

/** A record as answered. */
export interface AnsweredRecord {
  server_name: string;
  valid_until_ts: number;
  verify_keys: Record<string, { key: string }>;
  old_verify_keys?: Record<string, { key: string; expired_ts: number }>;
  signatures: Record<string, Record<string, string>>;
  [member: string]: unknown;
}

export interface KeyAnswer {
  status: number;
  headers: Headers;
  records: AnsweredRecord[];
  text: string;
}

/** GET on a key path below the dialect's prefix. */
export async function getKeys(baseUrl: string, path: string, init: RequestInit = {}): Promise<KeyAnswer> {
  return read(await fetch(`${baseUrl}/_svc/key/v2/${path}`, init));
}

/** POST with a body: an object, or the very text to send. */
export async function postKeys(baseUrl: string, body: unknown): Promise<KeyAnswer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return read(await fetch(`${baseUrl}/_svc/key/v2/query`, { method: 'POST', body: text }));
}

/** The same on behalf of a client address, as a reverse proxy states it. */
export async function postKeysAs(client: string, baseUrl: string, body: unknown): Promise<KeyAnswer> {
  const headers = { 'X-Forwarded-For': client };
  const init = { method: 'POST', body: JSON.stringify(body), headers };
  return read(await fetch(`${baseUrl}/_svc/key/v2/query`, init));
}

/** POST for one key id of one server. */
export function postKey(
  baseUrl: string,
  serverName: string,
  keyId = 'ed25519:k1',
  criteria = {},
): Promise<KeyAnswer> {
  return postKeys(baseUrl, { server_keys: { [serverName]: { [keyId]: criteria } } });
}

async function read(response: Response): Promise<KeyAnswer> {
  const text = await response.text();
  const body = text === '' ? {} : (JSON.parse(text) as { server_keys?: AnsweredRecord[] });
  return { status: response.status, headers: response.headers, records: body.server_keys ?? [], text };
}

const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');

/** Whether a record carries a valid signature of a signer under a key id, checked without the product's code. */
export function isSignedBy(
  record: AnsweredRecord,
  signer: string,
  key: { keyId: string; publicKey: string },
): boolean {
  const signature = record.signatures[signer]?.[key.keyId];
  if (signature === undefined) return false;
  const { signatures: _signatures, unsigned: _unsigned, ...payload } = record;
  const publicKey = createPublicKey({
    key: Buffer.concat([SPKI_HEAD, Buffer.from(key.publicKey, 'base64')]),
    format: 'der',
    type: 'spki',
  });
  return verify(null, Buffer.from(simpleCanonicalJson(payload)), publicKey, Buffer.from(signature, 'base64'));
}
