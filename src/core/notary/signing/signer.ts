import {
  importPublicKey,
  isCanonicalPoint,
  isSmallOrder,
  privateKeyOf,
  verifySignature,
} from '@vidimus/tlog';
import nacl from 'tweetnacl';
import { Buffer } from 'node:buffer';
import { type KeyObject, sign } from 'node:crypto';

import { ApiError } from '../../base/errors/api-error.js';

/**
 * Public keys (hex) whose private half is known to everybody. The one entry is the key that a deployment
 * chart derived from a constant: CVE-2026-24044, banned by Synapse since 1.147.1.
 */
export const KNOWN_BANNED_PUBLIC_KEYS: readonly string[] = [
  '97f3bd871315281e8b83edc7a9fd0541066154449070ccdb3cdd42cf69ccde88',
];

/** Why a public key is refused before it is ever used. */
export type PublicKeyRefusal = 'length' | 'non_canonical' | 'small_order';

/**
 * Why bytes may not serve as an Ed25519 public key, if so; the verdict is libsodium's. Bytes that are no point
 * of the curve pass here: no signature verifies with them.
 */
export function publicKeyRefusal(bytes: Uint8Array): PublicKeyRefusal | null {
  if (bytes.length !== 32) return 'length';
  if (isSmallOrder(bytes)) return 'small_order';
  return isCanonicalPoint(bytes) ? null : 'non_canonical';
}

const BASE64 = /^[\w+/-]*?(={0,2})$/;

/**
 * Decodes Base64 (RFC 4648 §4 or §5, also mixed), padded or unpadded. Returns null for anything else: blanks,
 * other characters, wrong padding, a length no byte string has. Unused bits of the last character are
 * ignored, as Python's `binascii` (and so every Synapse) does: compare decoded bytes, never texts.
 */
export function decodeBase64(text: string): Buffer | null {
  const padding = BASE64.exec(text)?.[1]?.length;
  // Padding may be left out entirely; when it is there it must fill the last group of four.
  if (padding === undefined || (padding > 0 && text.length % 4 !== 0)) return null;
  return (text.length - padding) % 4 === 1 ? null : Buffer.from(text, 'base64');
}

/** Encodes as unpadded standard Base64 (Matrix spec, appendix "Unpadded Base64"). */
export function encodeBase64(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  return text.replace(/=+$/, '');
}

/**
 * Whether `signature` is by this key (32 bytes) over `message`. As in libsodium, S must be reduced and R must not be of
 * small order; OpenSSL checks the former, not the latter.
 */
export function verifyEd25519(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const key = importPublicKey(publicKey);
  return key !== null && verifySignature(key, message, signature);
}

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
    this.#privateKey = privateKeyOf(seed);
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
    if (!verifyEd25519(this.publicKey, bytes, signature))
      throw failed(this, 'node:crypto does not accept a signature that tweetnacl made');
    return encodeBase64(signature);
  }
}

const SELF_TEST_MESSAGE = Buffer.from('vidimus self-test');

/**
 * Has node:crypto sign with each key, and checks that by what tweetnacl derived; its own signatures are checked as they
 * are made. Throws `ApiError` 500 when they disagree: a server that starts then would hand out worthless records.
 */
export function selfTestSigningKeys(keys: readonly SigningKey[]): void {
  for (const key of keys) {
    const signature = Buffer.from(key.sign(SELF_TEST_MESSAGE), 'base64');
    if (!verifyEd25519(key.publicKey, SELF_TEST_MESSAGE, signature))
      throw failed(key, 'node:crypto signs with another key than tweetnacl derived');
  }
}

function failed({ keyId }: SigningKey, why: string): ApiError {
  const message = `Signing key ${keyId} failed its self-test: ${why}. Nothing is published; install Vidimus again`;
  return new ApiError(500, message, { reason: 'signing_key_self_test' });
}
