import nacl from 'tweetnacl';
import { describe, expect, test } from 'vitest';

import { publicKeyRefusal, verifyEd25519 } from '../../../../src/core/notary/signing/signer.js';
import { readVectors } from '../../../support/json-vectors.js';

const hex = (text: string) => Buffer.from(text, 'hex');

type Verdict = [comment: string, publicKey: string, message: string, signature: string, valid: boolean];
const verdicts = readVectors('ed25519/verdicts.json') as Verdict[];

const ours = ([, key, message, signature]: Verdict) => verifyEd25519(hex(key), hex(message), hex(signature));

test('RFC 8032 §7.1 TEST 1 and TEST 3 verify', () => {
  const one =
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b';
  const three =
    '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a';
  const keyOne = hex('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a');
  const keyThree = hex('fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025');
  expect(verifyEd25519(keyOne, hex(''), hex(one))).toBe(true);
  expect(verifyEd25519(keyThree, hex('af82'), hex(three))).toBe(true);
  expect(verifyEd25519(keyOne, hex('af82'), hex(one))).toBe(false);
});

describe('libsodium as judge', () => {
  test('its verdict is ours on every committed case', () => {
    expect(verdicts.length).toBeGreaterThan(300);
    expect(verdicts.filter((verdict) => ours(verdict) !== verdict[4])).toEqual([]);
  });
});

// Of C2SP's project Wycheproof, testvectors_v1/ed25519_test.json: cases 1 to 79, 81 and 84.
test('Wycheproof: its verdict is that of node:crypto, and of tweetnacl but for S that is too large', () => {
  const cases = readVectors('ed25519/wycheproof.json') as Verdict[];
  expect(cases.length).toBeGreaterThan(80);
  expect(cases.filter((verdict) => ours(verdict) !== verdict[4])).toEqual([]);
  const naclDiffers = cases.filter(([, key, message, signature, valid]) => {
    if (signature.length !== 128) return false;
    return nacl.sign.detached.verify(hex(message), hex(signature), hex(key)) !== valid;
  });
  expect(naclDiffers.map(([comment]) => comment)).toEqual(['s + L', 's + 2L', 's + 4L', 's + 8L']);
});

const keysOf = (kind: string) => [
  ...new Set(verdicts.filter(([comment]) => comment.startsWith(kind)).map(([, key]) => key)),
];

describe('public keys', () => {
  test('all eight torsion points and their second spellings are of small order', () => {
    const keys = keysOf('small-order key');
    expect(keys).toHaveLength(14);
    for (const key of keys) expect(publicKeyRefusal(hex(key))).toBe('small_order');
  });

  test('every y from p to 2^255-1 is refused, with either sign', () => {
    const keys = keysOf('non-canonical key');
    expect(keys).toHaveLength(19);
    for (const key of keys) {
      expect(publicKeyRefusal(hex(key))).not.toBeNull();
      const negative = hex(key);
      negative[31] = 0xff;
      expect(publicKeyRefusal(negative)).not.toBeNull();
    }
    expect(publicKeyRefusal(hex(`ef${'ff'.repeat(30)}7f`))).toBe('non_canonical');
    expect(publicKeyRefusal(hex(`eb${'ff'.repeat(30)}7f`))).toBeNull();
  });

  test.each([0, 31, 33, 64])('%i bytes are no key', (length) => {
    expect(publicKeyRefusal(Buffer.alloc(length, 9))).toBe('length');
    expect(verifyEd25519(Buffer.alloc(length, 9), hex(''), Buffer.alloc(64, 1))).toBe(false);
  });
});
