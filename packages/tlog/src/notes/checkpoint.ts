import type { Buffer } from 'node:buffer';

import { decodeBase64 } from '../base64.js';
import { HASH_BYTES } from '../tree/hashes.js';
import { parseNote, verifyNote } from './signed-note.js';
import type { VerifierKey } from './verifier-key.js';

/** What a checkpoint says of the tree (C2SP tlog-checkpoint). */
export interface CheckpointText {
  origin: string;
  size: number;
  root: Buffer;
}

const SIZE = /^(?:0|[1-9]\d{0,15})$/;

/** The text that is signed. */
export function writeCheckpoint({ origin, size, root }: CheckpointText): string {
  return `${origin}\n${size}\n${root.toString('base64')}\n`;
}

/** Reads such a text; `null` when it is none. Further lines are left aside. */
export function readCheckpoint(text: string): CheckpointText | null {
  const [origin = '', size = '', encoded = ''] = text.split('\n');
  const root = decodeBase64(encoded);
  if (origin === '' || root?.length !== HASH_BYTES) return null;
  const entries = readTreeSize(size);
  return entries === null ? null : { origin, size: entries, root };
}

/** Reads a number of entries as checkpoints and witnesses state it; `null`: it is none. */
export function readTreeSize(text: string): number | null {
  const size = Number(text);
  return SIZE.test(text) && Number.isSafeInteger(size) ? size : null;
}

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
