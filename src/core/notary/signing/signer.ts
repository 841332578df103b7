import { Buffer } from 'node:buffer';
import { createPrivateKey, sign, type KeyObject } from 'node:crypto';
import nacl from 'tweetnacl';
import { ApiError } from '../../base/errors/api-error.js';
import { encodeBase64 } from './base64.js';
import { Ed25519Verifier } from './ed25519.js';

/** PrivateKeyInfo of an Ed25519 key without its 32-byte seed (RFC 8410 §7). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * One of our signing keys. The public key is derived by tweetnacl, signatures are made by node:crypto (the
 * same bytes, a hundred times faster). The seed is not kept in reach and never appears in logs.
 */
export class SigningKey {
  readonly keyId: string;
  readonly publicKey: Buffer;
  /** Unpadded standard Base64, as key records carry it. */
  readonly publicKeyBase64: string;
  readonly #privateKey: KeyObject;
  readonly #naclSecret: Uint8Array;

  /** `version` is what follows `ed25519:` in the key ID; `seed` has 32 bytes, anything else throws. */
  constructor(
    readonly version: string,
    seed: Uint8Array,
  ) {
    const pair = nacl.sign.keyPair.fromSeed(Uint8Array.from(seed));
    this.keyId = `ed25519:${version}`;
    this.publicKey = Buffer.from(pair.publicKey);
    this.publicKeyBase64 = encodeBase64(this.publicKey);
    this.#naclSecret = pair.secretKey;
    const der = Buffer.concat([PKCS8_PREFIX, seed]);
    this.#privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  }

  /** Signature over `bytes` as unpadded standard Base64. Deterministic (RFC 8032 §5.1.6). */
  sign(bytes: Uint8Array): string {
    return encodeBase64(sign(null, bytes, this.#privateKey));
  }

  /** The same signature made by tweetnacl, a hundred times slower: for the self-test only. */
  signWithReference(bytes: Uint8Array): Uint8Array {
    return nacl.sign.detached(Uint8Array.from(bytes), this.#naclSecret);
  }
}

/**
 * Signs and verifies once per key with both libraries. Throws `ApiError` 500 when they disagree or a signature
 * does not verify: a server that starts then would hand out worthless records.
 */
export function selfTestSigningKeys(keys: readonly SigningKey[]): void {
  const message = Buffer.from('vidimus self-test');
  for (const key of keys) {
    const reference = key.signWithReference(message);
    const agree = key.sign(message) === encodeBase64(reference);
    const verified = Ed25519Verifier.create(key.publicKey)?.verify(message, reference) ?? false;
    if (!agree || !verified || !nacl.sign.detached.verify(message, reference, key.publicKey)) {
      throw new ApiError(500, `Signing key ${key.keyId} failed its self-test`, {
        reason: 'signing_key_self_test',
        detail: agree
          ? 'a signature made with it does not verify'
          : 'the two signing libraries made different signatures',
      });
    }
  }
}
