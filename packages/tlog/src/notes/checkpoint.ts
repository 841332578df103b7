import type { Buffer } from 'node:buffer';

import { decodeBase64 } from '../base64.js';
import { HASH_BYTES } from '../tree/hashes.js';

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
