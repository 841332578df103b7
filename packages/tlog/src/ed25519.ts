import { Buffer } from 'node:buffer';
import { createPrivateKey, createPublicKey, verify, type KeyObject } from 'node:crypto';

export const SEED_BYTES = 32;
export const PUBLIC_KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** PrivateKeyInfo of an Ed25519 key without its 32-byte seed (RFC 8410 §7). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The private key of a seed. */
export function privateKeyOf(seed: Uint8Array): KeyObject {
  if (seed.length !== SEED_BYTES) throw new Error(`bad seed size: ${seed.length} bytes`);
  return createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
}

/** Imports a public key; `null` when no honest signer can have it. */
export function importPublicKey(bytes: Uint8Array): KeyObject | null {
  if (bytes.length !== PUBLIC_KEY_BYTES || isSmallOrder(bytes) || !isCanonicalPoint(bytes)) return null;
  // A JWK is imported nine times faster than DER.
  const x = Buffer.from(bytes).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

/** As in libsodium, R must not be of small order either; OpenSSL does not check that. */
export function verifySignature(key: KeyObject, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== SIGNATURE_BYTES || isSmallOrder(signature)) return false;
  return verify(null, message, key, signature);
}

const P = 2n ** 255n - 19n;
/** The y coordinates of the eight points of small order; the last two belong to points of order 8. */
const SMALL_ORDER_Y: readonly bigint[] = [
  0n,
  1n,
  P - 1n,
  0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n,
  0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n,
];

/** The first 32 bytes of a key or signature, little-endian without the sign bit. */
function yOf(bytes: Uint8Array): bigint {
  const hex = Buffer.from(bytes.subarray(0, PUBLIC_KEY_BYTES).toReversed()).toString('hex');
  return BigInt.asUintN(255, BigInt(`0x0${hex}`));
}

/** Whether the first 32 bytes encode a point of order 1, 2, 4 or 8: anybody can sign for such a key. */
export function isSmallOrder(bytes: Uint8Array): boolean {
  return SMALL_ORDER_Y.includes(yOf(bytes) % P);
}

/** Whether the y coordinate is below p: each point has then one spelling (RFC 8032 §5.1.3). */
export function isCanonicalPoint(point: Uint8Array): boolean {
  return yOf(point) < P;
}
