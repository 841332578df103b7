import { quoteForDetail } from '../../base/text/quote-for-detail.js';
import { isJsonObject, type JsonObject } from '../../base/json/json-value.js';
import { decodeBase64 } from '../signing/base64.js';
import { Ed25519Verifier } from '../signing/ed25519.js';
import type { ListedKey } from './record-keys.js';
import { invalidRecord } from './record-error.js';

/** Each check costs about 0.1 ms of the event loop; honest servers have one to three signing keys. */
const MAX_CHECKED_SIGNATURES = 32;

export interface SignatureCheck {
  readonly serverName: string;
  /** The bytes the signatures cover. */
  readonly payload: Uint8Array;
  /** Listed verify keys by key ID. */
  readonly keys: ReadonlyMap<string, ListedKey>;
}

/**
 * Key IDs of the listed keys whose signature under the server's own name verifies. Every such signature is
 * checked, so the order does not matter. Throws when there is none, one fails, or there are more than 32.
 */
export function findProvenKeys(record: JsonObject, check: SignatureCheck): Set<string> {
  const all = record['signatures'];
  const own = isJsonObject(all) ? all[check.serverName] : undefined;
  if (!isJsonObject(own)) {
    throw invalidRecord('record_no_signature', 'no signatures under the name of the server');
  }
  const signed = [...check.keys].filter(([keyId]) => own[keyId] !== undefined);
  if (signed.length === 0) throw invalidRecord('record_no_signature', 'no signature by a listed verify key');
  if (signed.length > MAX_CHECKED_SIGNATURES) {
    throw invalidRecord(
      'record_too_many_signatures',
      `${signed.length} signatures, at most ${MAX_CHECKED_SIGNATURES}`,
    );
  }
  for (const [keyId, key] of signed) {
    const encoded = own[keyId];
    const signature = typeof encoded === 'string' ? decodeBase64(encoded) : null;
    const verifier = Ed25519Verifier.create(key.bytes);
    if (signature === null || verifier === null || !verifier.verify(check.payload, signature)) {
      throw invalidRecord(
        'record_bad_signature',
        `the signature by ${quoteForDetail(keyId)} does not verify`,
      );
    }
  }
  return new Set(signed.map(([keyId]) => keyId));
}
