import { Buffer } from 'node:buffer';
import { createPrivateKey, createPublicKey, verify, type KeyObject } from 'node:crypto';

export const SEED_BYTES = 32;
const PUBLIC_KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** PrivateKeyInfo of an Ed25519 key without its 32-byte seed (RFC 8410 §7). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The key pair of a seed. */
export function keyPairOf(seed: Uint8Array): { privateKey: KeyObject; publicKey: Buffer } {
  if (seed.length !== SEED_BYTES) throw new Error(`bad seed size: ${seed.length} bytes`);
  const der = Buffer.concat([PKCS8_PREFIX, seed]);
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  return { privateKey, publicKey: spki.subarray(-PUBLIC_KEY_BYTES) };
}

/** Imports a public key; `null` when no honest signer can have it. */
export function importPublicKey(bytes: Uint8Array): KeyObject | null {
  if (bytes.length !== PUBLIC_KEY_BYTES || isSmallOrder(bytes) || !isCanonicalPoint(bytes)) return null;
  const x = Buffer.from(bytes).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

/** As in libsodium, R must not be of small order either; OpenSSL does not check that. */
export function verifySignature(key: KeyObject, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== SIGNATURE_BYTES || isSmallOrder(signature)) return false;
  return verify(null, message, key, signature);
}

/**
 * Every y coordinate of the eight points of small order, little-endian without the sign bit: 0, 1, the two
 * of order 8, p-1, and the second spellings p and p+1 (the list libsodium compares with).
 */
const SMALL_ORDER_Y: readonly Buffer[] = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
].map((hex) => Buffer.from(hex, 'hex'));

/** First byte of p = 2^255-19, whose other bytes are ff and, without the sign bit, 7f at the end. */
const P_FIRST_BYTE = 0xed;

/** Whether the first 32 bytes encode a point of order 1, 2, 4 or 8: anybody can sign for such a key. */
export function isSmallOrder(bytes: Uint8Array): boolean {
  const point = Buffer.from(bytes.subarray(0, PUBLIC_KEY_BYTES));
  point[31] = (point[31] ?? 0) & 0x7f;
  return SMALL_ORDER_Y.some((y) => y.equals(point));
}

/** Whether the y coordinate is below p: each point has then one spelling (RFC 8032 §5.1.3). */
export function isCanonicalPoint(point: Uint8Array): boolean {
  if (((point[31] ?? 0) & 0x7f) !== 0x7f) return true;
  for (let i = 30; i > 0; i -= 1) if (point[i] !== 0xff) return true;
  return (point[0] ?? 0) < P_FIRST_BYTE;
}
