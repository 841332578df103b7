import { Buffer } from 'node:buffer';

/**
 * Public keys (hex) whose private half is known to everybody. The one entry is the key that a deployment
 * chart derived from a constant: CVE-2026-24044, banned by Synapse since 1.147.1.
 */
export const KNOWN_BANNED_PUBLIC_KEYS: readonly string[] = [
  '97f3bd871315281e8b83edc7a9fd0541066154449070ccdb3cdd42cf69ccde88',
];

/** Why a public key is refused before it is ever used. */
export type PublicKeyRefusal = 'length' | 'non_canonical' | 'small_order';

/** Verdict on the 32 bytes of a public key. */
export type PublicKeyVerdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: PublicKeyRefusal };

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

/** True when 32 bytes encode a point of order 1, 2, 4 or 8, in any spelling: anybody can sign for such a key. */
export function isSmallOrder(point: Uint8Array): boolean {
  const sign = (point[31] ?? 0) & 0x80;
  return SMALL_ORDER_Y.some((y) => {
    for (let i = 0; i < 31; i++) if (y[i] !== point[i]) return false;
    return ((point[31] ?? 0) ^ sign) === y[31];
  });
}

/** True when the y coordinate in these 32 bytes is below p: each point has then one spelling (RFC 8032 §5.1.3). */
function isCanonicalPoint(point: Uint8Array): boolean {
  if (((point[31] ?? 0) & 0x7f) !== 0x7f) return true;
  for (let i = 30; i > 0; i--) if (point[i] !== 0xff) return true;
  return (point[0] ?? 0) < P_FIRST_BYTE;
}

/**
 * Tells whether bytes may serve as an Ed25519 public key; the verdict is libsodium's. Bytes that are no point
 * of the curve pass here: no signature verifies with them.
 */
export function isAcceptablePublicKey(bytes: Uint8Array): PublicKeyVerdict {
  if (bytes.length !== 32) return { ok: false, reason: 'length' };
  if (isSmallOrder(bytes)) return { ok: false, reason: 'small_order' };
  if (!isCanonicalPoint(bytes)) return { ok: false, reason: 'non_canonical' };
  return { ok: true };
}
