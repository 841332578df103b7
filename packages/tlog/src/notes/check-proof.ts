import type { Buffer } from 'node:buffer';

import { readProof } from './proof.js';
import type { VerifierKey } from './verifier-key.js';
import { hashLeaf } from '../tree/hashes.js';
import { verifyInclusion } from '../tree/inclusion.js';
import { openCheckpoint, type OpenedCheckpoint } from './open-checkpoint.js';

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
