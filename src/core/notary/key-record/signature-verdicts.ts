import {
  isJsonObject,
  createJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../base/json/json-value.js';
import { decodeBase64, Ed25519Verifier } from '../signing/signer.js';
import { signedPayload } from './key-record.js';

/** One signature of a record. `unknown key`: the record does not list the key, so nobody can tell from it. */
export interface SignatureVerdict {
  signer: string;
  keyId: string;
  status: 'valid' | 'invalid' | 'unknown key';
}

/** A record may carry thousands; each check takes 0.1 ms and each verdict a line. */
const MAX_VERDICTS = 200;

/**
 * Checks each signature of a record by itself, also of one that is refused as a whole. `leftOut` counts those
 * beyond the first `atMost`.
 */
export function judgeSignatures(
  record: JsonObject,
  serverName: string,
  atMost = MAX_VERDICTS,
): { verdicts: SignatureVerdict[]; leftOut: number } {
  const payload = signedPayload(record);
  const signatures = Object.entries(membersOf(record['signatures'])).flatMap(([signer, own]) =>
    Object.entries(membersOf(own)).map(([keyId, signature]) => ({ signer, keyId, signature })),
  );
  const verdicts = signatures.slice(0, atMost).map(({ signer, keyId, signature }): SignatureVerdict => {
    const verifier = signer === serverName ? verifierOf(record, keyId) : null;
    if (verifier === null) return { signer, keyId, status: 'unknown key' };
    const bytes = typeof signature === 'string' ? decodeBase64(signature) : null;
    return { signer, keyId, status: bytes !== null && verifier.verify(payload, bytes) ? 'valid' : 'invalid' };
  });
  return { verdicts, leftOut: signatures.length - verdicts.length };
}

function verifierOf(record: JsonObject, keyId: string): Ed25519Verifier | null {
  const listed = membersOf(record['verify_keys'])[keyId] ?? membersOf(record['old_verify_keys'])[keyId];
  const encoded = membersOf(listed)['key'];
  const bytes = typeof encoded === 'string' ? decodeBase64(encoded) : null;
  return bytes === null ? null : Ed25519Verifier.create(bytes);
}

function membersOf(value: JsonValue | undefined): { readonly [member: string]: JsonValue } {
  return isJsonObject(value) ? value : createJsonObject();
}
