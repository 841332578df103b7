import { Buffer } from 'node:buffer';

import { decodeBase64 } from '../base64.js';
import { KEY_NAME, type VerifierKey } from './verifier-key.js';

/** A line below a note, not yet verified. */
export interface NoteSignature {
  /** Of the key. */
  name: string;
  keyId: Buffer;
  signature: Buffer;
}

/** A note taken apart (C2SP signed-note). */
export interface SignedNote {
  /** What is signed; ends with a line feed. */
  text: string;
  signatures: readonly NoteSignature[];
}

/** Others must accept 16. We accept more: a log may be watched by witnesses that we know nothing of. */
const MAX_ACCEPTED_SIGNATURES = 100;
const KEY_ID_BYTES = 4;
const SIGNATURE_LINE = /^— (\S+) (\S+)$/u;
// eslint-disable-next-line no-control-regex -- what notes must not have
const CONTROL = /[\0-\x09\x0b-\x1f]/;

/** Reads a note; `null`: it is none. Verifies nothing. */
export function parseNote(note: string): SignedNote | null {
  const end = note.lastIndexOf('\n\n');
  if (end === -1 || !note.endsWith('\n') || CONTROL.test(note)) return null;
  const signatures = parseSignatureLines(note.slice(end + 2));
  return signatures === null || signatures.length === 0 ? null : { text: note.slice(0, end + 1), signatures };
}

/** Reads lines of signatures, each with its line feed; `null`: one is none, or there are too many. */
export function parseSignatureLines(lines: string): NoteSignature[] | null {
  const each = lines.split('\n', MAX_ACCEPTED_SIGNATURES + 2);
  if (each.pop() !== '' || each.length > MAX_ACCEPTED_SIGNATURES) return null;
  const signatures = each.map(parseSignatureLine).filter((signature) => signature !== null);
  return signatures.length === each.length ? signatures : null;
}

function parseSignatureLine(line: string): NoteSignature | null {
  const [, name = '', encoded = ''] = SIGNATURE_LINE.exec(line) ?? [];
  const blob = decodeBase64(encoded);
  if (blob === null || blob.length <= KEY_ID_BYTES || !KEY_NAME.test(name)) return null;
  return { name, keyId: blob.subarray(0, KEY_ID_BYTES), signature: blob.subarray(KEY_ID_BYTES) };
}

/** A signature's line, with its line feed. */
export function writeSignatureLine({ name, keyId, signature }: NoteSignature): string {
  return `— ${name} ${Buffer.concat([keyId, signature]).toString('base64')}\n`;
}

/**
 * Those signatures of a note that are of these keys. `null`: none is, or one is not what its key has signed, which
 * spoils the whole note. Signatures of other keys are left aside.
 */
export function verifyNote(
  { text, signatures }: SignedNote,
  keys: readonly VerifierKey[],
): NoteSignature[] | null {
  const known = signatures.flatMap((signature) => {
    const key = keys.find((each) => each.name === signature.name && each.keyId.equals(signature.keyId));
    return key === undefined ? [] : [{ key, signature }];
  });
  const isSigned = known.every(({ key, signature }) => key.verify(text, signature.signature));
  return known.length > 0 && isSigned ? known.map(({ signature }) => signature) : null;
}
