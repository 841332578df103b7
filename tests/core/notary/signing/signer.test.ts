import { inspect } from 'node:util';
import nacl from 'tweetnacl';
import { expect, test } from 'vitest';
import { buildOwnRecord } from '../../../../src/core/notary/key-record/record-signing.js';
import {
  encodeBase64,
  selfTestSigningKeys,
  SigningKey,
  verifyEd25519,
} from '../../../../src/core/notary/signing/signer.js';

const SEED = Buffer.from('YJDBA9Xnr2sVqXD9Vj7XVUnmFZcZrlw8Md7kMW+3XA1', 'base64');

test('the seed of the Matrix spec has the published public key', () => {
  const key = new SigningKey('1', SEED);
  expect(key.keyId).toBe('ed25519:1');
  expect(key.publicKeyBase64).toBe('XGX0JRS2Af3be3knz2fBiRbApjm2Dh61gXDJA8kcJNI');
  expect(encodeBase64(key.publicKey)).toBe(key.publicKeyBase64);
});

test('node:crypto and tweetnacl make the same signature, and it verifies', () => {
  for (let i = 0; i < 20; i++) {
    const key = new SigningKey('x', Buffer.alloc(32, i));
    const message = Buffer.from('m'.repeat(i * 17));
    const text = key.sign(message);
    expect(key.signOwn(message)).toBe(text);
    expect(verifyEd25519(key.publicKey, message, Buffer.from(text, 'base64'))).toBe(true);
  }
});

test.each([
  [
    '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    '',
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  ],
  [
    'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
    'af82',
    '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
  ],
])('both sign as RFC 8032 §7.1 has it (seed %s)', (seed, message, signature) => {
  const key = new SigningKey('x', Buffer.from(seed, 'hex'));
  const wanted = encodeBase64(Buffer.from(signature, 'hex'));
  expect(key.sign(Buffer.from(message, 'hex'))).toBe(wanted);
  expect(key.signOwn(Buffer.from(message, 'hex'))).toBe(wanted);
});

test.each([0, 31, 33])('a seed of %i bytes is refused', (length) => {
  expect(() => new SigningKey('x', Buffer.alloc(length))).toThrow(/bad seed size/);
});

test('neither inspecting nor JSON shows the seed', () => {
  const key = new SigningKey('1', SEED);
  const shown = inspect(key, { depth: 9, showHidden: true }) + JSON.stringify(key);
  expect(shown).not.toContain(SEED.toString('hex').slice(0, 8));
  expect(shown).not.toContain('YJDBA9');
  expect(shown).not.toContain('60 90 c1 03');
  expect(shown).not.toMatch(/96,\s*144,\s*193/);
});

test('the self-test passes for sound keys', () => {
  const keys = [new SigningKey('1', SEED), new SigningKey('2', nacl.randomBytes(32))];
  expect(() => selfTestSigningKeys(keys)).not.toThrow();
});

test('what tweetnacl signs is not published where node:crypto does not accept it', () => {
  const sound = nacl.sign.detached;
  const broken = Object.assign(() => new Uint8Array(64).fill(7), sound);
  nacl.sign.detached = broken;
  try {
    const retiredKeys = [] as const;
    const parts = {
      serverName: 'a.example',
      activeKeys: [new SigningKey('1', SEED)],
      retiredKeys,
      validUntilTs: 1,
    };
    expect(() => buildOwnRecord(parts)).toThrow(
      /node:crypto does not accept a signature that tweetnacl made/,
    );
  } finally {
    nacl.sign.detached = sound;
  }
});
