import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';

import {
  EMPTY_ROOT,
  LogKey,
  VerifierKey,
  WitnessKey,
  checkProof,
  cosignedTsOf,
  hashLeaf,
  hashNode,
  openCheckpoint,
  parseNote,
  readCheckpoint,
  signCheckpoint,
  verifyNote,
  writeCheckpoint,
  writeProof,
} from '../src/index.js';

const ORIGIN = 'keys.example.org/log';
const key = new LogKey(ORIGIN, Buffer.alloc(32, 7));
const witness = new WitnessKey('witness.example', Buffer.alloc(32, 5));
const text = writeCheckpoint({ origin: ORIGIN, size: 0, root: EMPTY_ROOT });
const note = key.signNote(text);
const stranger = new LogKey(ORIGIN, Buffer.alloc(32, 8)).verifier;

/** The bits that can be flipped without being noticed. */
function flippedBits(bytes: Buffer, isAccepted: (text: string) => boolean): number[] {
  const bits = Array.from({ length: 8 * bytes.length }, (_, bit) => bit);
  return bits.filter((bit) => {
    const mutant = Buffer.from(bytes);
    mutant[bit >> 3]! ^= 1 << (bit & 7);
    return isAccepted(mutant.toString());
  });
}

describe('a signed checkpoint (C2SP signed-note, tlog-checkpoint)', () => {
  it('has the form of the test vector', () => {
    const vector = VerifierKey.parse('example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k');
    const line =
      'Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=';
    const parsed = parseNote(`This is an example message.\n\n— example.com/foo ${line}\n`);
    expect(verifyNote(parsed!, [vector!])).toHaveLength(1);
    expect(text).toBe(`${ORIGIN}\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n`);
    expect(note.slice(text.length)).toMatch(/^\n— keys\.example\.org\/log [\w+/=]{92}\n$/);
  });

  it('opens as it was signed, with signatures of others beside ours', () => {
    const cosigned = `${note}— witness.example ${Buffer.alloc(76, 1).toString('base64')}\n`;
    expect(openCheckpoint(cosigned, key.verifier)).toEqual({ note: cosigned, size: 0, root: EMPTY_ROOT });
    expect(openCheckpoint(cosigned, stranger)).toBeNull();
  });

  it('has a size and a root in their only form', () => {
    const root = EMPTY_ROOT.toString('base64');
    const texts = ['', `a\n01\n${root}\n`, 'a\n1\nAAAA\n', 'a\n-1\n\n', `a\n9007199254740993\n${root}\n`];
    expect(texts.map(readCheckpoint)).toEqual(texts.map(() => null));
  });
});

describe('a note', () => {
  it('is a text without control characters, and up to a hundred signatures', () => {
    const spoilt = [`${text}\n`, note.slice(0, -1), `${note}a line\n`, note.replace('keys', 'k\teys')];
    const tooMany = note + witness.cosign(text, 1).repeat(100);
    const unsigned = `${note}— name ${Buffer.alloc(4).toString('base64')}\n`;
    const notes = [...spoilt, tooMany, unsigned];
    expect(notes.map(parseNote)).toEqual(notes.map(() => null));
  });

  it('with a bad signature of a known key is spoilt, whatever others say', () => {
    const bad = parseNote(note + witness.cosign(`${text}other\n`, 5))!;
    expect(verifyNote(bad, [key.verifier])).toHaveLength(1);
    expect(verifyNote(bad, [key.verifier, witness.verifier])).toBeNull();
  });
});

describe('a cosignature (C2SP tlog-cosignature v1)', () => {
  const line = witness.cosign(text, 1_679_315_147);

  it('states its time, and is over that and the text', () => {
    const parsed = parseNote(note + line)!;
    const [found] = verifyNote(parsed, [witness.verifier])!;
    expect(cosignedTsOf(found!.signature)).toBe(1_679_315_147_000);
    expect(verifyNote(parsed, [witness.verifier, key.verifier])).toHaveLength(2);
    expect(verifyNote(parsed, [new WitnessKey('witness.example', Buffer.alloc(32, 6)).verifier])).toBeNull();
  });

  it('is refused with any bit of text, time or signature flipped', () => {
    const isAccepted = (bad: string) => {
      const parsed = parseNote(bad);
      return parsed !== null && verifyNote(parsed, [witness.verifier]) !== null;
    };
    expect(isAccepted(`${text}\n${line}`)).toBe(true);
    expect(flippedBits(Buffer.from(`${text}\n${line}`), isAccepted)).toEqual([]);
  });
});

describe('a key', () => {
  it('is read from the text forms it is written in, of both types', () => {
    expect(key.verifierKey).toMatch(/^keys\.example\.org\/log\+[0-9a-f]{8}\+A[A-Za-z0-9+/]{43}$/);
    for (const each of [key, witness]) {
      const { name, type, text } = each.verifier;
      expect(VerifierKey.parse(each.verifierKey)).toMatchObject({ name, type, text });
    }
    expect(LogKey.parse(key.secretText()).verifierKey).toBe(key.verifierKey);
    expect(WitnessKey.parse(witness.secretText()).verifierKey).toBe(witness.verifierKey);
  });

  it('of a verifier is refused with another name, ID, type or length', () => {
    const [name = '', keyId = '', encoded = ''] = key.verifierKey.split('+');
    const texts = [
      `other+${keyId}+${encoded}`,
      `${name}+00000000+${encoded}`,
      `${name}+${keyId}+B${encoded.slice(1)}`,
      key.verifierKey.slice(0, -4),
      `${name}+${keyId}`,
      `a ${key.verifierKey}`,
      '',
    ];
    expect(texts.map((each) => VerifierKey.parse(each))).toEqual(texts.map(() => null));
  });

  it('of a log is refused without a word of the seed', () => {
    const secret = key.secretText();
    const damaged = [secret.replace('example', 'exbmple'), secret.slice(0, -10), witness.secretText()];
    for (const text of [...damaged, `ed25519 a_1 ${'A'.repeat(43)}`, ''])
      expect(() => LogKey.parse(text)).toThrow(/^(?:holds no key|is damaged)[^=]*$/);
  });
});

describe('a proof (C2SP tlog-proof v1)', () => {
  it('is header, entry, index and hashes, and the checkpoint as it was signed', () => {
    const entry = Buffer.from('x');
    const checkpoint = signCheckpoint(key, { size: 2, root: hashNode(EMPTY_ROOT, hashLeaf(entry)) });
    const proof = writeProof({ index: 1, entry, hashes: [EMPTY_ROOT], checkpoint });
    expect(proof).toBe(
      `c2sp.org/tlog-proof@v1\nextra eA==\nindex 1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n${checkpoint}`,
    );
    expect(checkProof(proof, key.verifier)).toMatchObject({ index: 1, entry });
    expect(checkProof(proof, stranger)).toContain('not signed by');
    const isAccepted = (bad: string) => typeof checkProof(bad, key.verifier) !== 'string';
    expect(flippedBits(Buffer.from(proof), isAccepted)).toEqual([]);
  });
});
