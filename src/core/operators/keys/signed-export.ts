import type { Hash } from 'node:crypto';

import { encodeCanonicalJson } from '../../base/json/canonical-json.js';
import {
  createJsonObject,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../base/json/json-value.js';
import { signedPayload } from '../../notary/key-record/record-payload.js';
import { decodeBase64, encodeBase64 } from '../../notary/signing/base64.js';
import { Ed25519Verifier } from '../../notary/signing/ed25519.js';
import type { OwnSigner } from './record-view.js';

/** A key by which an export was signed. */
export interface ExportSigner {
  keyId: string;
  /** Unpadded base64. */
  publicKey: string;
}

export function objectOf(members: Record<string, JsonValue>): JsonObject {
  return Object.assign(createJsonObject(), members);
}

/** A line of an export in canonical form, with its line feed; `hash` learns of it. */
export function lineOf(members: Record<string, JsonValue>, hash: Hash): string {
  const line = `${encodeCanonicalJson(objectOf(members))}\n`;
  hash.update(line);
  return line;
}

/**
 * The last line: `facts` with our public keys, signed in a member of its own name, so that it can never be taken for a
 * key record, an event or a request.
 */
export function endLineOf(
  member: string,
  facts: Record<string, JsonValue>,
  { serverName, keys }: OwnSigner,
): string {
  const publicKeys = keys.map(({ keyId, publicKeyBase64 }) => [keyId, publicKeyBase64] as const);
  const statement = objectOf({ ...facts, keys: objectOf(Object.fromEntries(publicKeys)) });
  const end = objectOf({ type: 'end', [member]: statement });
  const payload = signedPayload(end);
  const signatures = Object.fromEntries(keys.map((key) => [key.keyId, key.sign(payload)]));
  return `${encodeCanonicalJson(objectOf({ ...end, signatures: objectOf({ [serverName]: objectOf(signatures) }) }))}\n`;
}

/** Every key has to have signed; a text says what is wrong. */
export function readSigners(
  end: JsonObject,
  keys: JsonValue | undefined,
  notary: string,
): ExportSigner[] | string {
  const { signatures } = end;
  const own = isJsonObject(signatures) ? signatures[notary] : undefined;
  if (!isJsonObject(keys) || !isJsonObject(own) || Object.keys(keys).length === 0)
    return 'it is not signed by its notary';
  const payload = signedPayload(end);
  const signers: ExportSigner[] = [];
  for (const [keyId, publicKey] of Object.entries(keys)) {
    const [key, bytes] = [publicKey, own[keyId]].map((text) =>
      typeof text === 'string' ? decodeBase64(text) : null,
    );
    if (!key || !bytes || Ed25519Verifier.create(key)?.verify(payload, bytes) !== true)
      return `the notary's signature by ${JSON.stringify(keyId)} does not verify`;
    signers.push({ keyId, publicKey: encodeBase64(key) });
  }
  return signers;
}
