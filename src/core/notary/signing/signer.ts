import { Buffer } from 'node:buffer';
import { createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';
import nacl from 'tweetnacl';
import { ApiError } from '../../base/errors/api-error.js';
import { encodeBase64 } from './base64.js';
import { Ed25519Verifier } from './ed25519.js';

/** PrivateKeyInfo of an Ed25519 key without its 32-byte seed (RFC 8410 §7). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const KEY_BYTES = 32;

/**
 * One of our signing keys, derived and used by node:crypto; `compareWithReference` holds tweetnacl against it. The seed
 * never appears in logs.
 */
export class SigningKey {
  readonly keyId: string;
  readonly publicKey: Buffer;
  /** Unpadded standard Base64, as key records carry it. */
  readonly publicKeyBase64: string;
  readonly #privateKey: KeyObject;
  readonly #seed: Uint8Array;

  /** `version` is what follows `ed25519:` in the key ID; `seed` has 32 bytes, anything else throws. */
  constructor(
    readonly version: string,
    seed: Uint8Array,
  ) {
    if (seed.length !== KEY_BYTES) throw new Error(`bad seed size: ${seed.length} bytes`);
    this.#seed = Uint8Array.from(seed);
    const der = Buffer.concat([PKCS8_PREFIX, seed]);
    this.#privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    const spki = createPublicKey(this.#privateKey).export({ format: 'der', type: 'spki' });
    this.keyId = `ed25519:${version}`;
    this.publicKey = spki.subarray(-KEY_BYTES);
    this.publicKeyBase64 = encodeBase64(this.publicKey);
  }

  /** Signature over `bytes` as unpadded standard Base64. Deterministic (RFC 8032 §5.1.6). */
  sign(bytes: Uint8Array): string {
    return encodeBase64(sign(null, bytes, this.#privateKey));
  }

  /** What tweetnacl makes of the same seed; some ten milliseconds, and five times that at first. */
  reference(message: Uint8Array): { publicKey: Uint8Array; signature: string } {
    const { publicKey, secretKey } = nacl.sign.keyPair.fromSeed(this.#seed);
    return { publicKey, signature: encodeBase64(nacl.sign.detached(Uint8Array.from(message), secretKey)) };
  }
}

const SELF_TEST_MESSAGE = Buffer.from('vidimus self-test');

/**
 * Signs and verifies once per key. Throws `ApiError` 500 when a signature does not verify: a server that starts then
 * would hand out worthless records.
 */
export function selfTestSigningKeys(keys: readonly SigningKey[]): void {
  for (const key of keys) {
    const signature = Buffer.from(key.sign(SELF_TEST_MESSAGE), 'base64');
    if (Ed25519Verifier.create(key.publicKey)?.verify(SELF_TEST_MESSAGE, signature) !== true)
      throw failed(key, 'a signature made with it does not verify');
  }
}

/** The same, and throws too where tweetnacl derives another public key or makes another signature. */
export function compareWithReference(keys: readonly SigningKey[]): void {
  selfTestSigningKeys(keys);
  for (const key of keys) {
    const { publicKey, signature } = key.reference(SELF_TEST_MESSAGE);
    if (!key.publicKey.equals(publicKey)) throw failed(key, 'tweetnacl derives another public key');
    if (key.sign(SELF_TEST_MESSAGE) !== signature) throw failed(key, 'tweetnacl makes another signature');
  }
}

function failed({ keyId }: SigningKey, why: string): ApiError {
  const message = `Signing key ${keyId} failed its self-test: ${why}`;
  return new ApiError(500, message, { reason: 'signing_key_self_test' });
}
