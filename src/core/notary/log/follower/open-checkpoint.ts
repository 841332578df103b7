import { readCheckpoint } from '../notes/checkpoint.js';
import { parseNote, verifyNote } from '../notes/signed-note.js';
import type { VerifierKey } from '../notes/verifier-key.js';
import type { OpenedCheckpoint } from './log-contradiction.js';

/** Reads a checkpoint that a log has signed with this key; `null`: it is none. Cosignatures are left aside. */
export function openCheckpoint(note: string, key: VerifierKey): OpenedCheckpoint | null {
  const parsed = parseNote(note);
  if (parsed === null || verifyNote(parsed, [key]) === null) return null;
  const checkpoint = readCheckpoint(parsed.text);
  if (checkpoint === null || checkpoint.origin !== key.name) return null;
  return { note, size: checkpoint.size, root: checkpoint.root };
}
