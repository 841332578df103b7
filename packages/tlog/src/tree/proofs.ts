import type { Buffer } from 'node:buffer';

import { EMPTY_ROOT, hashNode } from './hashes.js';
import { hashRange, splitRange, type Range, type ReadTile } from './ranges.js';

/** A tree as a checkpoint states it. */
export interface SignedTree {
  size: number;
  root: Buffer;
}

/**
 * Consistency proof from the first `from` entries of a tree to its first `size` (RFC 6962 §2.1.2), at most one hash a
 * level and one more. Empty when `from` is 0 or `size`; it is never above `size`.
 */
export async function proveConsistency(from: number, size: number, readTile: ReadTile): Promise<Buffer[]> {
  if (from === 0 || from === size) return [];
  const others: Range[] = [];
  let range: Range = { from: 0, to: size };
  while (range.to > from) {
    const [left, right] = splitRange(range);
    const isLeft = from <= left.to;
    others.push(isLeft ? right : left);
    range = isLeft ? left : right;
  }
  // Whoever knows the older root knows the first subtree already.
  const known = range.from === 0 ? [] : [range];
  return Promise.all([...known, ...others.toReversed()].map((each) => hashRange(each, readTile)));
}

/** Whether the proof shows that the newer tree begins with all of the older one (RFC 9162 §2.1.4.2). */
export function verifyConsistency(older: SignedTree, newer: SignedTree, proof: readonly Buffer[]): boolean {
  if (older.size > newer.size) return false;
  if (older.size === newer.size) return proof.length === 0 && older.root.equals(newer.root);
  if (older.size === 0) return proof.length === 0 && older.root.equals(EMPTY_ROOT);
  let at: LastNodes = { older: older.size - 1, newer: newer.size - 1 };
  while (at.older % 2 === 1) at = parentsOf(at);
  // Only of a perfect older tree nothing is left: its root is the first hash, and is not sent.
  const [start, ...path] = at.older === 0 ? [older.root, ...proof] : proof;
  if (start === undefined) return false;
  let [root, newerRoot] = [start, start];
  for (const hash of path) {
    if (at.newer === 0) return false;
    if (at.older % 2 === 1 || at.older === at.newer) {
      root = hashNode(hash, root);
      newerRoot = hashNode(hash, newerRoot);
      while (at.older % 2 === 0 && at.older !== 0) at = parentsOf(at);
    } else {
      newerRoot = hashNode(newerRoot, hash);
    }
    at = parentsOf(at);
  }
  return at.newer === 0 && root.equals(older.root) && newerRoot.equals(newer.root);
}

/** Index of the last node of either tree at one level. */
interface LastNodes {
  older: number;
  newer: number;
}

// Not by shifting: sizes may have 53 bits.
const parentsOf = ({ older, newer }: LastNodes): LastNodes => ({
  older: Math.floor(older / 2),
  newer: Math.floor(newer / 2),
});

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
