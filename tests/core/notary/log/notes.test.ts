import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';

import { readCheckpoint, writeCheckpoint } from '../../../../src/core/notary/log/notes/checkpoint.js';
import { LogKey } from '../../../../src/core/notary/log/notes/log-key.js';
import { writeProof } from '../../../../src/core/notary/log/notes/tlog-proof.js';
import { EMPTY_ROOT } from '../../../../src/core/notary/log/tree/hashes.js';
import { decodeBase64 } from '../../../../src/core/notary/signing/base64.js';
import { Ed25519Verifier } from '../../../../src/core/notary/signing/ed25519.js';

const ORIGIN = 'keys.example.org/log';
const key = new LogKey(ORIGIN, Buffer.alloc(32, 7));
const text = writeCheckpoint({ origin: ORIGIN, size: 0, root: EMPTY_ROOT });

describe('a signed note (C2SP signed-note v1)', () => {
  it('of the test vector has the key ID and the signature form that ours have', () => {
    const verifierKey = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k';
    const line =
      'Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=';
    const blob = decodeBase64(line)!;
    const typed = decodeBase64(verifierKey.split('+').slice(2).join('+'))!;
    expect(blob.subarray(0, 4).toString('hex')).toBe('530d903a');
    const verifier = Ed25519Verifier.create(typed.subarray(1))!;
    expect(verifier.verify(Buffer.from('This is an example message.\n'), blob.subarray(4))).toBe(true);
    expect(key.verifierKey).toMatch(/^keys\.example\.org\/log\+[0-9a-f]{8}\+A[A-Za-z0-9+/]{43}$/);
    expect(key.signNote(text)).toMatch(
      /^keys\.example\.org\/log\n0\n[\w+/=]{44}\n\n— keys\.example\.org\/log [\w+/=]{92}\n$/,
    );
  });

  it('opens as it was signed, with signatures of others beside ours', () => {
    const note = key.signNote(text);
    expect(key.openNote(note)).toBe(text);
    expect(key.openNote(`${note}— witness.example ${Buffer.alloc(76, 1).toString('base64')}\n`)).toBe(text);
  });

  it('does not open with another key, nor with any bit of its text or signature flipped', () => {
    const note = Buffer.from(key.signNote(text));
    expect(new LogKey(ORIGIN, Buffer.alloc(32, 8)).openNote(note.toString())).toBeNull();
    const opened = Array.from({ length: 8 * (note.length - 4) }, (_, bit) => {
      const mutant = Buffer.from(note);
      mutant[bit >> 3]! ^= 1 << (bit & 7);
      return key.openNote(mutant.toString('utf8'));
    });
    expect(opened.filter((found) => found !== null)).toEqual([]);
  });
});

describe('the key of the log', () => {
  it('is read from the text form it is written in', () => {
    const secret = key.secretText();
    expect(secret).toMatch(/^PRIVATE\+KEY\+keys\.example\.org\/log\+/);
    expect(LogKey.parse(secret, 'a file').verifierKey).toBe(key.verifierKey);
  });

  it.each([
    ['another name', key.secretText().replace('example', 'exbmple')],
    ['a line cut short', key.secretText().slice(0, -10)],
    ['a signing key of records', `ed25519 a_1 ${'A'.repeat(43)}`],
    ['nothing', ''],
  ])('is refused without a word of the seed: %s', (_, secret) => {
    expect(() => LogKey.parse(secret, 'a file')).toThrow(
      /^Log key file a file (?:holds no key|is damaged)[^=]*$/,
    );
  });
});

describe('a checkpoint (C2SP tlog-checkpoint)', () => {
  it('is three lines, and reads back', () => {
    expect(text).toBe(`${ORIGIN}\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n`);
    expect(readCheckpoint(text)).toEqual({ origin: ORIGIN, size: 0, root: EMPTY_ROOT });
  });

  it.each(['', 'a\n01\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n', 'a\n1\nAAAA\n', 'a\n-1\n\n'])(
    '%j is none',
    (bad) => {
      expect(readCheckpoint(bad)).toBeNull();
    },
  );
});

describe('a proof (C2SP tlog-proof v1)', () => {
  it('is header, entry, index and hashes, and the checkpoint as it was signed', () => {
    const checkpoint = key.signNote(text);
    const proof = writeProof({ index: 1, entry: Buffer.from('x'), hashes: [EMPTY_ROOT], checkpoint });
    expect(proof).toBe(
      `c2sp.org/tlog-proof@v1\nextra eA==\nindex 1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n${checkpoint}`,
    );
  });
});
