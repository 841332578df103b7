import type { Buffer } from 'node:buffer';

import { readCheckpoint } from './checkpoint.js';
import { parseNote, verifyNote } from './signed-note.js';
import type { VerifierKey } from './verifier-key.js';

/** What a log says of its tree, with its signature below. */
export interface OpenedCheckpoint {
  /** The signed note, as it was served. */
  note: string;
  size: number;
  root: Buffer;
}

/** Reads a checkpoint that a log has signed with this key; `null`: it is none. Ignores cosignatures. */
export function openCheckpoint(note: string, key: VerifierKey): OpenedCheckpoint | null {
  const parsed = parseNote(note);
  if (parsed === null || verifyNote(parsed, [key]) === null) return null;
  const checkpoint = readCheckpoint(parsed.text);
  if (checkpoint === null || checkpoint.origin !== key.name) return null;
  return { note, size: checkpoint.size, root: checkpoint.root };
}
