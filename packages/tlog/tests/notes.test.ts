import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';

import {
  EMPTY_ROOT,
  LogKey,
  VerifierKey,
  WitnessKey,
  checkProof,
  cosignedTsOf,
  decodeBase64,
  hashLeaf,
  hashNode,
  openCheckpoint,
  parseNote,
  readCheckpoint,
  verifyNote,
  writeCheckpoint,
  writeProof,
} from '../src/index.js';
import { importPublicKey, verifySignature } from '../src/ed25519.js';

const ORIGIN = 'keys.example.org/log';
const key = new LogKey(ORIGIN, Buffer.alloc(32, 7));
const witness = new WitnessKey('witness.example', Buffer.alloc(32, 5));
const text = writeCheckpoint({ origin: ORIGIN, size: 0, root: EMPTY_ROOT });

/** The bits that can be flipped without being noticed. */
function flippedBits(bytes: Buffer, isAccepted: (text: string) => boolean): number[] {
  const bits = Array.from({ length: 8 * bytes.length }, (_, bit) => bit);
  return bits.filter((bit) => {
    const mutant = Buffer.from(bytes);
    mutant[bit >> 3]! ^= 1 << (bit & 7);
    return isAccepted(mutant.toString());
  });
}

describe('a signed note (C2SP signed-note v1)', () => {
  it('of the test vector has the key ID and the signature form that ours have', () => {
    const verifierKey = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k';
    const line =
      'Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=';
    const blob = decodeBase64(line)!;
    const typed = decodeBase64(verifierKey.split('+').slice(2).join('+'))!;
    expect(blob.subarray(0, 4).toString('hex')).toBe('530d903a');
    const publicKey = importPublicKey(typed.subarray(1))!;
    const message = Buffer.from('This is an example message.\n');
    expect(verifySignature(publicKey, message, blob.subarray(4))).toBe(true);
    expect(key.verifierKey).toMatch(/^keys\.example\.org\/log\+[0-9a-f]{8}\+A[A-Za-z0-9+/]{43}$/);
    expect(key.signNote(text)).toMatch(
      /^keys\.example\.org\/log\n0\n[\w+/=]{44}\n\n— keys\.example\.org\/log [\w+/=]{92}\n$/,
    );
  });

  it('opens as it was signed, with signatures of others beside ours', () => {
    const note = key.signNote(text) + `— witness.example ${Buffer.alloc(76, 1).toString('base64')}\n`;
    expect(openCheckpoint(note, key.verifier)).toEqual({ note, size: 0, root: EMPTY_ROOT });
  });

  it('does not open with another key, nor with any bit of its text or signature flipped', () => {
    const note = Buffer.from(key.signNote(text));
    const other = new LogKey(ORIGIN, Buffer.alloc(32, 8));
    expect(openCheckpoint(note.toString(), other.verifier)).toBeNull();
    expect(flippedBits(note.subarray(0, -4), (bad) => openCheckpoint(bad, key.verifier) !== null)).toEqual(
      [],
    );
  });
});

describe('a verifier key', () => {
  const [name, keyId, encoded] = key.verifierKey.split('+') as [string, string, string];

  it('is read from the text form it is written in, of both types', () => {
    expect(VerifierKey.parse(key.verifierKey)).toMatchObject({
      name: ORIGIN,
      type: 1,
      text: key.verifierKey,
    });
    expect(VerifierKey.parse(witness.verifierKey)).toMatchObject({ name: 'witness.example', type: 4 });
  });

  it.each([
    ['another name', `other+${keyId}+${encoded}`],
    ['another ID', `${name}+00000000+${encoded}`],
    ['another type', `${name}+${keyId}+B${encoded.slice(1)}`],
    ['a key cut short', key.verifierKey.slice(0, -4)],
    ['no key', `${name}+${keyId}`],
    ['a name with a blank', `a ${key.verifierKey}`],
    ['nothing', ''],
  ])('with %s is none', (_, text) => {
    expect(VerifierKey.parse(text)).toBeNull();
  });
});

describe('a cosignature (C2SP tlog-cosignature v1)', () => {
  const cosigned = key.signNote(text) + witness.cosign(text, 1_679_315_147);

  it('states its time, and is over that and the text', () => {
    const parsed = parseNote(cosigned)!;
    const [found] = verifyNote(parsed, [witness.verifier])!;
    expect(cosignedTsOf(found!.signature)).toBe(1_679_315_147_000);
    expect(verifyNote(parsed, [witness.verifier, key.verifier])).toHaveLength(2);
    expect(verifyNote(parsed, [new WitnessKey('witness.example', Buffer.alloc(32, 6)).verifier])).toBeNull();
  });

  it('is refused with any bit of text, time or signature flipped', () => {
    const lone = Buffer.from(`${text}\n${witness.cosign(text, 1_679_315_147)}`);
    const isAccepted = (bad: string) => {
      const parsed = parseNote(bad);
      return parsed !== null && verifyNote(parsed, [witness.verifier]) !== null;
    };
    expect(isAccepted(lone.toString())).toBe(true);
    expect(flippedBits(lone, isAccepted)).toEqual([]);
  });
});

describe('a note', () => {
  const note = key.signNote(text);

  it.each([
    ['without a signature', `${text}\n`],
    ['without its last line feed', note.slice(0, -1)],
    ['with a line that is no signature', `${note}a line\n`],
    ['with a control character', note.replace('keys', 'k\teys')],
    ['with more signatures than anybody makes', note + witness.cosign(text, 1).repeat(100)],
    ['with a signature of a key ID alone', `${note}— name ${Buffer.alloc(4).toString('base64')}\n`],
  ])('%s is none', (_, bad) => {
    expect(parseNote(bad)).toBeNull();
  });

  it('with a bad signature of a known key is spoilt, whatever others say', () => {
    const bad = note + witness.cosign(`${text}other\n`, 5);
    expect(verifyNote(parseNote(bad)!, [key.verifier])).toHaveLength(1);
    expect(verifyNote(parseNote(bad)!, [key.verifier, witness.verifier])).toBeNull();
  });
});

describe('the key of the log', () => {
  it('is read from the text form it is written in', () => {
    const secret = key.secretText();
    expect(secret).toMatch(/^PRIVATE\+KEY\+keys\.example\.org\/log\+/);
    expect(LogKey.parse(secret).verifierKey).toBe(key.verifierKey);
  });

  it.each([
    ['another name', key.secretText().replace('example', 'exbmple')],
    ['a line cut short', key.secretText().slice(0, -10)],
    ['a signing key of records', `ed25519 a_1 ${'A'.repeat(43)}`],
    ['the key of a witness', witness.secretText()],
    ['nothing', ''],
  ])('is refused without a word of the seed: %s', (_, secret) => {
    expect(() => LogKey.parse(secret)).toThrow(/^(?:holds no key|is damaged)[^=]*$/);
  });
});

describe('a checkpoint (C2SP tlog-checkpoint)', () => {
  it('is three lines, and reads back', () => {
    expect(text).toBe(`${ORIGIN}\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n`);
    expect(readCheckpoint(text)).toEqual({ origin: ORIGIN, size: 0, root: EMPTY_ROOT });
  });

  it.each([
    '',
    'a\n01\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n',
    'a\n1\nAAAA\n',
    'a\n-1\n\n',
    'a\n9007199254740993\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n',
  ])('%j is none', (bad) => {
    expect(readCheckpoint(bad)).toBeNull();
  });
});

describe('a proof (C2SP tlog-proof v1)', () => {
  const note = (root: Buffer) => key.signNote(writeCheckpoint({ origin: ORIGIN, size: 2, root }));

  it('is header, entry, index and hashes, and the checkpoint as it was signed', () => {
    const entry = Buffer.from('x');
    const checkpoint = note(hashNode(EMPTY_ROOT, hashLeaf(entry)));
    const proof = writeProof({ index: 1, entry, hashes: [EMPTY_ROOT], checkpoint });
    expect(proof).toBe(
      `c2sp.org/tlog-proof@v1\nextra eA==\nindex 1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n${checkpoint}`,
    );
    expect(checkProof(proof, key.verifier)).toMatchObject({ index: 1, entry });
    expect(checkProof(proof, new LogKey(ORIGIN, Buffer.alloc(32, 8)).verifier)).toContain('not signed by');
    expect(
      flippedBits(Buffer.from(proof), (bad) => typeof checkProof(bad, key.verifier) !== 'string'),
    ).toEqual([]);
  });
});
