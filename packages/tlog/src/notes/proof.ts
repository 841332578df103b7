import type { Buffer } from 'node:buffer';

import { decodeBase64 } from '../base64.js';
import { HASH_BYTES, hashLeaf } from '../tree/hashes.js';
import { readTreeSize, openCheckpoint, type OpenedCheckpoint } from './checkpoint.js';
import type { VerifierKey } from './verifier-key.js';
import { verifyInclusion } from '../tree/proofs.js';

const HEAD = 'c2sp.org/tlog-proof@v1';
const EXTRA = 'extra ';
const INDEX = 'index ';
/** A hash a level; trees of 53 bits have no more. */
const MAX_HASHES = 64;

/** An entry's place in a log, with what proves it. */
export interface LogProof {
  index: number;
  /** The entry, with which the proof can be checked by itself. */
  entry: Buffer;
  /** Leaf's sibling first. */
  hashes: readonly Buffer[];
  /** The signed checkpoint it leads to. */
  checkpoint: string;
}

/** The text of a proof (C2SP tlog-proof v1); `extra` is the entry. */
export function writeProof({ index, entry, hashes, checkpoint }: LogProof): string {
  const lines = [
    HEAD,
    `${EXTRA}${entry.toString('base64')}`,
    `${INDEX}${index}`,
    ...hashes.map((hash) => hash.toString('base64')),
    '',
  ];
  return `${lines.join('\n')}\n${checkpoint}`;
}

/** Reads such a text, which must state its entry; `null`: it is none. Proves nothing yet. */
export function readProof(text: string): LogProof | null {
  const end = text.indexOf('\n\n');
  if (end === -1) return null;
  const [head, extra = '', indexLine = '', ...lines] = text.slice(0, end).split('\n');
  if (head !== HEAD || !extra.startsWith(EXTRA) || !indexLine.startsWith(INDEX)) return null;
  const entry = decodeBase64(extra.slice(EXTRA.length));
  const index = readTreeSize(indexLine.slice(INDEX.length));
  const hashes = lines.map(decodeBase64).filter((hash) => hash?.length === HASH_BYTES);
  if (entry === null || index === null || hashes.length !== lines.length || hashes.length > MAX_HASHES)
    return null;
  return { index, entry, hashes: hashes.filter((hash) => hash !== null), checkpoint: text.slice(end + 2) };
}

/** What a proof proves: that the log has promised to keep this entry for ever. */
export interface ProvenEntry {
  index: number;
  entry: Buffer;
  checkpoint: OpenedCheckpoint;
}

/** Checks a `.tlog-proof` that states its entry, without asking anybody. A text says what is wrong with it. */
export function checkProof(text: string, key: VerifierKey): ProvenEntry | string {
  const proof = readProof(text);
  if (proof === null) return 'it is no c2sp.org/tlog-proof@v1 that states its entry';
  const { index, entry, hashes } = proof;
  const checkpoint = openCheckpoint(proof.checkpoint, key);
  if (checkpoint === null) return `its checkpoint is not signed by ${key.text}`;
  const isIncluded = verifyInclusion({ index, leaf: hashLeaf(entry) }, checkpoint, hashes);
  return isIncluded
    ? { index, entry, checkpoint }
    : 'its hashes do not lead from the entry to the root of its checkpoint';
}
