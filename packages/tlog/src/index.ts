export { UnavailableError } from './http.js';
export { checkProof, type ProvenEntry } from './notes/proof.js';
export { readCheckpoint, readTreeSize, writeCheckpoint, type CheckpointText } from './notes/checkpoint.js';
export { readCosignature, type Cosignature } from './notes/cosignature.js';
export { SEED_BYTES, isCanonicalPoint, isSmallOrder } from './notes/ed25519.js';
export { LogKey, NoteKeyError, WitnessKey } from './notes/note-key.js';
export { openCheckpoint, type OpenedCheckpoint } from './notes/checkpoint.js';
export { readProof, writeProof, type LogProof } from './notes/proof.js';
export {
  parseNote,
  parseSignatureLines,
  verifyNote,
  writeSignatureLine,
  type NoteSignature,
  type SignedNote,
} from './notes/signed-note.js';
export { KEY_TYPES, VerifierKey, type KeyType } from './notes/verifier-key.js';
export {
  encodeKeyEntry,
  readKeyEntry,
  type KeyEntry,
  type KeyEntryEvent,
  type ReadKeyEntry,
} from './records/key-entry.js';
export { ENTRY_LENGTH_BYTES, MAX_BUNDLE_BYTES, MAX_ENTRY_BYTES, readBundle } from './tree/tiles.js';
export { proveConsistency, verifyConsistency, type SignedTree } from './tree/proofs.js';
export { growTree, rootOf, type GrownTile, type TreeEdge } from './tree/growth.js';
export { EMPTY_ROOT, HASH_BYTES, hashLeaf, hashNode } from './tree/hashes.js';
export { proveInclusion, verifyInclusion } from './tree/proofs.js';
export type { ReadTile } from './tree/ranges.js';
export {
  TILE_WIDTH,
  hashesAt,
  isWithin,
  levelsOf,
  parseTilePlace,
  tilePath,
  type TilePlace,
} from './tree/tiles.js';
