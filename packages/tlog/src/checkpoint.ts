import type { Buffer } from 'node:buffer';

import { decodeBase64, parseNote, verifyNote, type LogKey, type VerifierKey } from './note.js';
import { HASH_BYTES, hashLeaf, verifyInclusion, type SignedTree } from './tree.js';

/** What a checkpoint says of the tree (C2SP tlog-checkpoint). */
export interface CheckpointText extends SignedTree {
  origin: string;
}

const SIZE = /^(?:0|[1-9]\d{0,15})$/;

/** The text that is signed. */
export function writeCheckpoint({ origin, size, root }: CheckpointText): string {
  return `${origin}\n${size}\n${root.toString('base64')}\n`;
}

/** The signed note of a log about this tree. */
export function signCheckpoint(key: LogKey, { size, root }: SignedTree): string {
  return key.signNote(writeCheckpoint({ origin: key.name, size, root }));
}

/** Reads such a text; `null`: not a checkpoint. Ignores further lines. */
export function readCheckpoint(text: string): CheckpointText | null {
  const [origin = '', sizeLine = '', rootLine = ''] = text.split('\n');
  const [size, root] = [readTreeSize(sizeLine), decodeBase64(rootLine)];
  return origin === '' || size === null || root?.length !== HASH_BYTES ? null : { origin, size, root };
}

/** Reads a number of entries; `null`: not in the form that checkpoints and witnesses use. */
export function readTreeSize(text: string): number | null {
  const size = Number(text);
  return SIZE.test(text) && Number.isSafeInteger(size) ? size : null;
}

/** Hashes in Base64, each with a line feed. */
export const writeHashes = (hashes: readonly Buffer[]): string =>
  hashes.map((hash) => `${hash.toString('base64')}\n`).join('');

/** Reads such hashes; `null`: one of them is invalid. */
export function readHashes(text: string): Buffer[] | null {
  const hashes: Buffer[] = [];
  for (const line of text.split('\n').slice(0, -1)) {
    const hash = decodeBase64(line);
    if (hash?.length !== HASH_BYTES) return null;
    hashes.push(hash);
  }
  return hashes;
}

/** A checkpoint with a valid signature of its log. */
export interface OpenedCheckpoint extends SignedTree {
  /** The signed note, as it was served. */
  note: string;
}

/** Reads a checkpoint that a log has signed with this key; `null`: not such a checkpoint. Ignores cosignatures. */
export function openCheckpoint(note: string, key: VerifierKey): OpenedCheckpoint | null {
  const parsed = parseNote(note);
  if (parsed === null || verifyNote(parsed, [key]) === null) return null;
  const checkpoint = readCheckpoint(parsed.text);
  if (checkpoint === null || checkpoint.origin !== key.name) return null;
  return { note, size: checkpoint.size, root: checkpoint.root };
}

/** An entry of a log, with its proof of inclusion. */
export interface LogProof {
  index: number;
  entry: Buffer;
  /** Leaf's sibling first. */
  hashes: readonly Buffer[];
  /** The signed checkpoint that the proof leads to. */
  checkpoint: string;
}

const PROOF = /^c2sp\.org\/tlog-proof@v1\nextra (\S*)\nindex (\d+)\n((?:\S+\n){0,64})\n/;

/** The text of a proof (C2SP tlog-proof v1); `extra` is the entry. */
export function writeProof({ index, entry, hashes, checkpoint }: LogProof): string {
  const head = `c2sp.org/tlog-proof@v1\nextra ${entry.toString('base64')}\nindex ${index}\n`;
  return `${head}${writeHashes(hashes)}\n${checkpoint}`;
}

/** Checks offline that the log has promised to keep an entry for ever. A string says what is wrong with the proof. */
export function checkProof(
  text: string,
  key: VerifierKey,
): { index: number; entry: Buffer; checkpoint: OpenedCheckpoint } | string {
  const [head = '', extra = '', indexLine = '', lines = ''] = PROOF.exec(text) ?? [];
  const [entry, index, hashes] = [decodeBase64(extra), readTreeSize(indexLine), readHashes(lines)];
  if (head === '' || entry === null || index === null || hashes === null)
    return 'it is no c2sp.org/tlog-proof@v1 that states its entry';
  const checkpoint = openCheckpoint(text.slice(head.length), key);
  if (checkpoint === null) return `its checkpoint is not signed by ${key.text}`;
  if (verifyInclusion({ index, leaf: hashLeaf(entry) }, checkpoint, hashes))
    return { index, entry, checkpoint };
  return 'its hashes do not lead from the entry to the root of its checkpoint';
}
