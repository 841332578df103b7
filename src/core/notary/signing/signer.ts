import { Buffer } from 'node:buffer';
import { createPrivateKey, sign, type KeyObject } from 'node:crypto';
import nacl from 'tweetnacl';
import { ApiError } from '../../base/errors/api-error.js';
import { encodeBase64 } from './base64.js';
import { Ed25519Verifier } from './ed25519.js';

/** PrivateKeyInfo of an Ed25519 key without its 32-byte seed (RFC 8410 §7). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * One of our signing keys. tweetnacl derives it and signs our own record; node:crypto, a hundred times faster, signs
 * answers about other servers. The seed never appears in logs.
 */
export class SigningKey {
  readonly keyId: string;
  readonly publicKey: Buffer;
  /** Unpadded standard Base64, as key records carry it. */
  readonly publicKeyBase64: string;
  readonly #privateKey: KeyObject;
  readonly #secretKey: Uint8Array;

  /** `version` is what follows `ed25519:` in the key ID; `seed` has 32 bytes, anything else throws. */
  constructor(
    readonly version: string,
    seed: Uint8Array,
  ) {
    const { publicKey, secretKey } = nacl.sign.keyPair.fromSeed(Uint8Array.from(seed));
    this.#secretKey = secretKey;
    const der = Buffer.concat([PKCS8_PREFIX, seed]);
    this.#privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    this.keyId = `ed25519:${version}`;
    this.publicKey = Buffer.from(publicKey);
    this.publicKeyBase64 = encodeBase64(this.publicKey);
  }

  /** Signature over `bytes` as unpadded standard Base64. Deterministic (RFC 8032 §5.1.6). */
  sign(bytes: Uint8Array): string {
    return encodeBase64(sign(null, bytes, this.#privateKey));
  }

  /** The same by tweetnacl, for what we say of ourselves. Throws `ApiError` 500 where node:crypto does not accept it. */
  signOwn(bytes: Uint8Array): string {
    const signature = nacl.sign.detached(Uint8Array.from(bytes), this.#secretKey);
    if (Ed25519Verifier.create(this.publicKey)?.verify(bytes, signature) !== true)
      throw failed(this, 'node:crypto does not accept a signature that tweetnacl made');
    return encodeBase64(signature);
  }
}

const SELF_TEST_MESSAGE = Buffer.from('vidimus self-test');

/**
 * Signs with each key by both libraries. Throws `ApiError` 500 when they disagree: a server that starts then would hand
 * out worthless records.
 */
export function selfTestSigningKeys(keys: readonly SigningKey[]): void {
  for (const key of keys) {
    if (key.signOwn(SELF_TEST_MESSAGE) !== key.sign(SELF_TEST_MESSAGE))
      throw failed(key, 'tweetnacl and node:crypto make different signatures');
  }
}

function failed({ keyId }: SigningKey, why: string): ApiError {
  const message = `Signing key ${keyId} failed its self-test: ${why}. Nothing is published; install Vidimus again`;
  return new ApiError(500, message, { reason: 'signing_key_self_test' });
}
