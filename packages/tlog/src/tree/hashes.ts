import type { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';

export const HASH_BYTES = 32;

const LEAF_PREFIX = Uint8Array.of(0);
const NODE_PREFIX = Uint8Array.of(1);

/** Root of the tree without leaves (RFC 6962 §2.1). */
export const EMPTY_ROOT: Buffer = createHash('sha256').digest();

/** Hash of a leaf (RFC 6962 §2.1). */
export function hashLeaf(entry: Uint8Array): Buffer {
  return createHash('sha256').update(LEAF_PREFIX).update(entry).digest();
}

/** Hash of a node with two children (RFC 6962 §2.1). */
export function hashNode(left: Uint8Array, right: Uint8Array): Buffer {
  return createHash('sha256').update(NODE_PREFIX).update(left).update(right).digest();
}

/** Root of a perfect tree over these hashes, whose number is a power of two. */
export function hashPerfect(hashes: readonly Buffer[]): Buffer {
  let row = [...hashes];
  while (row.length > 1) {
    const above: Buffer[] = [];
    for (let at = 0; at + 1 < row.length; at += 2)
      above.push(hashNode(row[at] ?? EMPTY_ROOT, row[at + 1] ?? EMPTY_ROOT));
    row = above;
  }
  const [root] = row;
  if (root === undefined) throw new Error('a perfect tree has a leaf');
  return root;
}
