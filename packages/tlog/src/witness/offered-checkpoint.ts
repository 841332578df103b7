import { isUtf8, type Buffer } from 'node:buffer';

import { decodeBase64 } from '../base64.js';
import { readCheckpoint, readTreeSize, type CheckpointText } from '../notes/checkpoint.js';
import { parseNote, type SignedNote } from '../notes/signed-note.js';
import { HASH_BYTES } from '../tree/hashes.js';

/** A checkpoint that a log wants to have cosigned, with what shows that it goes on from an older one. */
export interface OfferedCheckpoint extends CheckpointText {
  oldSize: number;
  proof: readonly Buffer[];
  /** The checkpoint as it was signed. */
  note: SignedNote;
}

/** A tree has at most as many levels. */
const MAX_PROOF_LINES = 63;
const OLD = 'old ';

/** Reads the body of a request (C2SP tlog-witness, "add-checkpoint"); `null`: it is none. Verifies nothing. */
export function readOffer(body: Buffer): OfferedCheckpoint | null {
  if (!isUtf8(body)) return null;
  const text = body.toString();
  const end = text.indexOf('\n\n');
  const [first = '', ...lines] = text.slice(0, Math.max(0, end)).split('\n', MAX_PROOF_LINES + 2);
  if (!first.startsWith(OLD) || lines.length > MAX_PROOF_LINES) return null;
  const oldSize = readTreeSize(first.slice(OLD.length));
  const proof = lines.map(decodeBase64).filter((hash) => hash?.length === HASH_BYTES);
  const hashes = proof.filter((hash) => hash !== null);
  const note = parseNote(text.slice(end + 2));
  const checkpoint = note === null ? null : readCheckpoint(note.text);
  if (oldSize === null || hashes.length !== lines.length || note === null || checkpoint === null) return null;
  return { ...checkpoint, oldSize, proof: hashes, note };
}
