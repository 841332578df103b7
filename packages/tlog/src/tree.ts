import type { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';

import { TILE_WIDTH, hashesAt, levelsOf } from './tiles.js';

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
  const [first, second] = hashes;
  if (first === undefined) throw new Error('a perfect tree has a leaf');
  if (second === undefined) return first;
  const middle = hashes.length / 2;
  return hashNode(hashPerfect(hashes.slice(0, middle)), hashPerfect(hashes.slice(middle)));
}

/** The first `count` hashes of a tile. */
export function splitHashes(tile: Buffer, count = tile.length / HASH_BYTES): Buffer[] {
  return Array.from({ length: count }, (_, index) =>
    tile.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES),
  );
}

/** A tree as a checkpoint states it. */
export interface SignedTree {
  size: number;
  root: Buffer;
}

/** A tree as far as it is needed to grow it and to compute its root. */
export interface TreeEdge {
  size: number;
  /** Hashes of the last, partial tile of each level; empty where there is none. */
  partial: readonly (readonly Buffer[])[];
}

/** A tile that is new or has grown. */
export interface GrownTile {
  level: number;
  n: number;
  hashes: readonly Buffer[];
}

/** Reads a tile with at least `width` hashes. */
export type ReadTile = (level: number, n: number, width: number) => Promise<Buffer>;

/** Reads the right edge of a tree from its tiles. */
export async function readEdge(size: number, readTile: ReadTile): Promise<TreeEdge> {
  const partial: Buffer[][] = [];
  for (let level = 0; level < levelsOf(size); level += 1) {
    const hashes = hashesAt(size, level);
    const width = hashes % TILE_WIDTH;
    const tile = width === 0 ? null : await readTile(level, Math.floor(hashes / TILE_WIDTH), width);
    partial.push(tile === null ? [] : splitHashes(tile, width));
  }
  return { size, partial };
}

/** Appends leaf hashes. Returns the new edge and every tile that is new or has grown. */
export function growTree(edge: TreeEdge, leaves: readonly Buffer[]): { edge: TreeEdge; tiles: GrownTile[] } {
  const partial = edge.partial.map((hashes) => [...hashes]);
  const tiles: GrownTile[] = [];
  const grown = new Set<number>();
  let size = edge.size;
  const push = (level: number, hash: Buffer): void => {
    const hashes = (partial[level] ??= []);
    hashes.push(hash);
    grown.add(level);
    if (hashes.length < TILE_WIDTH) return;
    tiles.push({ level, n: hashesAt(size, level + 1) - 1, hashes });
    partial[level] = [];
    push(level + 1, hashPerfect(hashes));
  };
  for (const leaf of leaves) {
    size += 1;
    push(0, leaf);
  }
  for (const level of grown) {
    const hashes = partial[level] ?? [];
    if (hashes.length > 0) tiles.push({ level, n: hashesAt(size, level + 1), hashes });
  }
  return { edge: { size, partial }, tiles };
}

/** Root of the tree (RFC 6962 §2.1): its perfect subtrees, folded from the smallest one. */
export function rootOf({ partial }: TreeEdge): Buffer {
  const subtrees = partial.toReversed().flatMap(perfectSubtrees);
  const smallest = subtrees.pop();
  if (smallest === undefined) return EMPTY_ROOT;
  return subtrees.reduceRight<Buffer>((right, left) => hashNode(left, right), smallest);
}

/** Roots of the largest perfect trees that follow each other over these hashes. */
function perfectSubtrees(hashes: readonly Buffer[]): Buffer[] {
  const roots: Buffer[] = [];
  for (let at = 0, width = TILE_WIDTH; at < hashes.length; width /= 2) {
    if (at + width > hashes.length) continue;
    roots.push(hashPerfect(hashes.slice(at, at + width)));
    at += width;
  }
  return roots;
}

/** Leaves of a subtree; `to` is not included. */
interface Range {
  from: number;
  to: number;
}

/** The two subtrees below a node with more than one leaf (RFC 6962 §2.1). */
function splitRange({ from, to }: Range): [left: Range, right: Range] {
  const middle = from + largestPowerBelow(to - from);
  return [
    { from, to: middle },
    { from: middle, to },
  ];
}

/** The largest power of two below a count above one; 1 for one. */
function largestPowerBelow(count: number): number {
  let power = 1;
  while (2 * power < count) power *= 2;
  return power;
}

/** Hash of a subtree from stored tiles; only the one at the right edge of the tree is not perfect. */
async function hashRange(range: Range, readTile: ReadTile): Promise<Buffer> {
  const count = range.to - range.from;
  if (count > 1 && count !== 2 * largestPowerBelow(count)) {
    const [left, right] = splitRange(range);
    return hashNode(await hashRange(left, readTile), await hashRange(right, readTile));
  }
  let level = 0;
  while (TILE_WIDTH ** (level + 1) <= count) level += 1;
  const [first, width] = [hashesAt(range.from, level), hashesAt(count, level)];
  const at = first % TILE_WIDTH;
  const tile = await readTile(level, Math.floor(first / TILE_WIDTH), at + width);
  return hashPerfect(splitHashes(tile, at + width).slice(at));
}

/** Consistency proof from the first `from` entries of a tree to its first `size` (RFC 6962 §2.1.2). */
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
  // The verifier knows the older root, which is the hash of a first subtree.
  const known = range.from === 0 ? [] : [range];
  return Promise.all([...known, ...others.toReversed()].map((each) => hashRange(each, readTile)));
}

/** Inclusion proof of an entry in a tree of `size` entries (RFC 6962 §2.1.1), the leaf's sibling first. */
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

/** Half of it, rounded down. Not by shifting: sizes may have 53 bits. */
const half = (n: number): number => Math.floor(n / 2);

/** Whether the proof shows that the newer tree begins with all of the older one (RFC 9162 §2.1.4.2). */
export function verifyConsistency(older: SignedTree, newer: SignedTree, proof: readonly Buffer[]): boolean {
  if (older.size > newer.size) return false;
  if (older.size === newer.size) return proof.length === 0 && older.root.equals(newer.root);
  if (older.size === 0) return proof.length === 0 && older.root.equals(EMPTY_ROOT);
  let [node, last] = [older.size - 1, newer.size - 1];
  while (node % 2 === 1) [node, last] = [half(node), half(last)];
  // Nothing is left of a perfect older tree only: its root is the first hash, and is not sent.
  const [start, ...path] = node === 0 ? [older.root, ...proof] : proof;
  if (start === undefined) return false;
  let [root, newerRoot] = [start, start];
  for (const hash of path) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      root = hashNode(hash, root);
      newerRoot = hashNode(hash, newerRoot);
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)];
    } else {
      newerRoot = hashNode(newerRoot, hash);
    }
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && root.equals(older.root) && newerRoot.equals(newer.root);
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
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)];
    } else {
      hash = hashNode(hash, sibling);
    }
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && hash.equals(tree.root);
}
