import { Buffer } from 'node:buffer';

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
  const root = Buffer.from(encoded, 'base64');
  if (origin === '' || !SIZE.test(size) || root.length !== HASH_BYTES) return null;
  return { origin, size: Number(size), root };
}
