import { inspect } from 'node:util';
import nacl from 'tweetnacl';
import { describe, expect, test } from 'vitest';
import { encodeBase64 } from '../../../../src/core/notary/signing/base64.js';
import { verifyEd25519 } from '../../../support/verify-ed25519.js';
import {
  compareWithReference,
  selfTestSigningKeys,
  SigningKey,
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
    const reference = key.reference(message);
    expect(text).toBe(reference.signature);
    expect(key.publicKey.equals(reference.publicKey)).toBe(true);
    expect(verifyEd25519(key.publicKey, message, Buffer.from(text, 'base64'))).toBe(true);
  }
});

test.each([0, 31, 33])('a seed of %i bytes is refused', (length) => {
  expect(() => new SigningKey('x', Buffer.alloc(length))).toThrow(/seed size/);
});

test('neither inspecting nor JSON shows the seed', () => {
  const key = new SigningKey('1', SEED);
  const shown = inspect(key, { depth: 9, showHidden: true }) + JSON.stringify(key);
  expect(shown).not.toContain(SEED.toString('hex').slice(0, 8));
  expect(shown).not.toContain('YJDBA9');
  expect(shown).not.toContain('60 90 c1 03');
  expect(shown).not.toMatch(/96,\s*144,\s*193/);
});

test('both tests pass for sound keys', () => {
  const keys = [new SigningKey('1', SEED), new SigningKey('2', nacl.randomBytes(32))];
  expect(() => selfTestSigningKeys(keys)).not.toThrow();
  expect(() => compareWithReference(keys)).not.toThrow();
});

describe('a key is refused by its ID', () => {
  class SignsAnotherMessage extends SigningKey {
    override sign(bytes: Uint8Array): string {
      return super.sign(Buffer.concat([bytes, Buffer.from('x')]));
    }
  }
  class DerivesAnotherKey extends SigningKey {
    override reference(message: Uint8Array): ReturnType<SigningKey['reference']> {
      return { ...super.reference(message), publicKey: Buffer.alloc(32, 1) };
    }
  }
  class MakesAnotherSignature extends SigningKey {
    override reference(message: Uint8Array): ReturnType<SigningKey['reference']> {
      return { ...super.reference(message), signature: super.sign(Buffer.from('x')) };
    }
  }

  test.each([
    ['whose signature does not verify', selfTestSigningKeys, SignsAnotherMessage, 'does not verify'],
    [
      'whose signature does not verify, compared',
      compareWithReference,
      SignsAnotherMessage,
      'does not verify',
    ],
    ['whose public key tweetnacl derives otherwise', compareWithReference, DerivesAnotherKey, 'public key'],
    [
      'whose signature tweetnacl makes otherwise',
      compareWithReference,
      MakesAnotherSignature,
      'another signature',
    ],
  ])('one %s', (_what, check, Broken, why) => {
    expect(() => check([new SigningKey('1', SEED), new Broken('bad', SEED)])).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(`^Signing key ed25519:bad .*${why}`),
        reason: 'signing_key_self_test',
      }),
    );
  });
});
