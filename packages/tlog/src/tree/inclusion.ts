import type { Buffer } from 'node:buffer';

import type { SignedTree } from './consistency.js';
import { hashNode } from './hashes.js';
import { hashRange, splitRange, type Range, type ReadTile } from './ranges.js';

/**
 * Inclusion proof of an entry in a tree of `size` entries (RFC 6962 §2.1.1), the leaf's sibling first. `index` is
 * below `size`.
 */
export async function proveInclusion(index: number, size: number, readTile: ReadTile): Promise<Buffer[]> {
  const siblings: Range[] = [];
  let range: Range = { from: 0, to: size };
  while (range.to - range.from > 1) {
    const [left, right] = splitRange(range);
    siblings.push(index < left.to ? right : left);
    range = index < left.to ? left : right;
  }
  return Promise.all(siblings.toReversed().map((sibling) => hashRange(sibling, readTile)));
}

/** Whether the proof leads from a leaf's hash to the root of the tree (RFC 9162 §2.1.3.2). */
export function verifyInclusion(
  { index, leaf }: { index: number; leaf: Buffer },
  tree: SignedTree,
  proof: readonly Buffer[],
): boolean {
  if (index >= tree.size) return false;
  let [node, last, hash] = [index, tree.size - 1, leaf];
  for (const sibling of proof) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      hash = hashNode(sibling, hash);
      while (node % 2 === 0 && node !== 0) [node, last] = [node / 2, Math.floor(last / 2)];
    } else {
      hash = hashNode(hash, sibling);
    }
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  return last === 0 && hash.equals(tree.root);
}
