import { ApiError } from '../../base/errors/api-error.js';
import { quoteForDetail } from '../../base/json/json-syntax-error.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json/json-value.js';
import { encodeCanonicalJsonBytes } from '../../base/json/canonical-json.js';
import { parseStrictJson } from '../../base/json/strict-json.js';
import { acceptKeyRecord, type AcceptedRecord, type KeyRecordPolicy } from '../key-record/key-record.js';
import { signedPayload } from '../key-record/record-payload.js';
import { decodeBase64 } from '../signing/base64.js';
import { Ed25519Verifier } from '../signing/ed25519.js';
import type { OtherNotary } from './rule-schemas.js';

/** What is stored of a server: the verify keys of its newest record, by key ID, unpadded base64. */
export interface StoredKeys {
  serverName: string;
  keys: ReadonlyMap<string, string>;
  /** POSIX ms. */
  validUntilTs: number;
}

/** What another notary says of the keys of a server. */
export interface CrossCheck {
  result: 'same' | 'differing' | 'silent';
  /** One sentence, for operators. */
  message: string;
  /** Whether asking again may change it: a notary may not have fetched what is new yet. */
  mayChange: boolean;
}

export interface CrossCheckParts {
  notary: OtherNotary;
  policy: KeyRecordPolicy;
  /** Posts a key query and resolves to the body of the answer. */
  ask: (body: Buffer) => Promise<Buffer>;
}

/**
 * Compares what is stored of a server with what another notary answers, over its key query (SPEC §2.2). Answers that it
 * has not signed count as silence. Rejects when it cannot be asked.
 */
export async function crossCheck(stored: StoredKeys, parts: CrossCheckParts): Promise<CrossCheck> {
  const { serverName, keys, validUntilTs } = stored;
  const wanted = Object.fromEntries(
    [...keys.keys()].map((keyId) => [keyId, { minimum_valid_until_ts: validUntilTs }]),
  );
  const asked = await recordsFrom(parts, serverName, wanted);
  const first = compare(keys, asked);
  if (first.differing !== null) return differing(first.differing);
  if (first.missing === null) return { result: 'same', message: 'It has the same keys.', mayChange: false };
  // The question about key IDs made it fetch; what it has besides tells "not this key" from "nothing".
  const known = await recordsFrom(parts, serverName, {});
  const second = compare(keys, known);
  if (second.differing !== null) return differing(second.differing);
  if (second.missing === null) return { result: 'same', message: 'It has the same keys.', mayChange: false };
  if (known.length === 0)
    return { result: 'silent', message: 'It knows no keys of the server.', mayChange: true };
  const message = `It has a record of the server without the key ${quoteForDetail(second.missing)}.`;
  return { result: 'differing', message, mayChange: true };
}

function differing(keyId: string): CrossCheck {
  const message = `It has another key under the ID ${quoteForDetail(keyId)}.`;
  return { result: 'differing', message, mayChange: false };
}

interface Comparison {
  /** A key ID that means another key there. */
  differing: string | null;
  /** A key ID that no record there lists. */
  missing: string | null;
}

function compare(keys: ReadonlyMap<string, string>, records: readonly AcceptedRecord[]): Comparison {
  const found: Comparison = { differing: null, missing: null };
  for (const [keyId, publicKey] of keys) {
    const theirs = records.flatMap((record) => {
      const key = record.verifyKeys.get(keyId) ?? record.oldVerifyKeys.get(keyId);
      return key === undefined ? [] : [key.publicKey];
    });
    if (theirs.length === 0) found.missing ??= keyId;
    else if (!theirs.some((key) => isSameKey(key, publicKey))) found.differing ??= keyId;
  }
  return found;
}

function isSameKey(one: string, other: string): boolean {
  const [a, b] = [decodeBase64(one), decodeBase64(other)];
  return a !== null && b !== null && a.equals(b);
}

async function recordsFrom(
  { notary, policy, ask }: CrossCheckParts,
  serverName: string,
  wanted: Readonly<Record<string, JsonValue>>,
): Promise<AcceptedRecord[]> {
  const answer = parseStrictJson(
    await ask(encodeCanonicalJsonBytes({ server_keys: { [serverName]: { ...wanted } } })),
  );
  const records = isJsonObject(answer) ? answer['server_keys'] : undefined;
  if (!Array.isArray(records)) throw unusable('its answer has no server_keys');
  return records
    .filter(isJsonObject)
    .filter((record) => record['server_name'] === serverName)
    .map((record) => {
      if (!isSignedBy(record, notary)) throw unusable('its answer is not signed by a key configured for it');
      return acceptKeyRecord(encodeCanonicalJsonBytes(record), serverName, policy);
    });
}

function unusable(detail: string): ApiError {
  return new ApiError(502, `The notary cannot be used: ${detail}`, { reason: 'notary_unusable', detail });
}

function isSignedBy(record: JsonObject, { server_name, keys }: OtherNotary): boolean {
  const all = record['signatures'];
  const own = isJsonObject(all) ? all[server_name] : undefined;
  if (!isJsonObject(own)) return false;
  const payload = signedPayload(record);
  return Object.entries(keys).some(([keyId, publicKey]) => {
    const encoded = own[keyId];
    const signature = typeof encoded === 'string' ? decodeBase64(encoded) : null;
    const key = decodeBase64(publicKey);
    const verifier = key === null ? null : Ed25519Verifier.create(key);
    return signature !== null && verifier !== null && verifier.verify(payload, signature);
  });
}
