import type { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';

import { TILE_WIDTH, hashesAt } from './tiles.js';

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
  for (let level = 0; hashesAt(size, level) > 0; level += 1) {
    const hashes = hashesAt(size, level);
    const width = hashes % TILE_WIDTH;
    const tile = width === 0 ? null : await readTile(level, Math.floor(hashes / TILE_WIDTH), width);
    partial.push(tile === null ? [] : splitHashes(tile, width));
  }
  return { size, partial };
}

/** Appends leaf hashes. Returns the new edge and every tile that is new or has grown. */
export function growTree(edge: TreeEdge, leaves: readonly Buffer[]): { edge: TreeEdge; tiles: GrownTile[] } {
  const partial = [...edge.partial];
  const tiles: GrownTile[] = [];
  for (let level = 0, added = leaves; added.length > 0; level += 1) {
    const hashes = [...(partial[level] ?? []), ...added];
    const first = hashesAt(edge.size, level + 1);
    const full: Buffer[] = [];
    for (let at = 0; at < hashes.length; at += TILE_WIDTH) {
      const tile = hashes.slice(at, at + TILE_WIDTH);
      tiles.push({ level, n: first + at / TILE_WIDTH, hashes: tile });
      if (tile.length === TILE_WIDTH) full.push(hashPerfect(tile));
    }
    partial[level] = hashes.slice(full.length * TILE_WIDTH);
    added = full;
  }
  return { edge: { size: edge.size + leaves.length, partial }, tiles };
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

/** Where the two subtrees of a node with more than one leaf meet (RFC 6962 §2.1). */
function middleOf({ from, to }: Range): number {
  let power = 1;
  while (2 * power < to - from) power *= 2;
  return from + power;
}

/** Hash of a subtree from stored tiles; only the one at the right edge of the tree is not perfect. */
async function hashRange(range: Range, readTile: ReadTile): Promise<Buffer> {
  const { from, to } = range;
  const [count, middle] = [to - from, middleOf(range)];
  if (count > 1 && middle - from !== to - middle)
    return hashNode(
      await hashRange({ from, to: middle }, readTile),
      await hashRange({ from: middle, to }, readTile),
    );
  let level = 0;
  while (TILE_WIDTH ** (level + 1) <= count) level += 1;
  const first = hashesAt(from, level);
  const [at, width] = [first % TILE_WIDTH, hashesAt(count, level)];
  const tile = await readTile(level, Math.floor(first / TILE_WIDTH), at + width);
  return hashPerfect(splitHashes(tile, at + width).slice(at));
}

/** The way from a subtree that holds a leaf up to the root: the subtree, and its siblings, the lowest first. */
interface Path {
  start: Range;
  siblings: readonly Range[];
}

function pathFrom(index: number, size: number, isStart: (range: Range) => boolean): Path {
  const siblings: Range[] = [];
  let start: Range = { from: 0, to: size };
  while (!isStart(start)) {
    const middle = middleOf(start);
    const [left, right] = [
      { from: start.from, to: middle },
      { from: middle, to: start.to },
    ];
    siblings.unshift(index < middle ? right : left);
    start = index < middle ? left : right;
  }
  return { start, siblings };
}

const inclusionPath = (index: number, size: number): Path =>
  pathFrom(index, size, ({ from, to }) => to - from === 1);

/** From the largest subtree that ends where the older tree does; it is all of a perfect older tree. */
const consistencyPath = (from: number, size: number): Path =>
  pathFrom(from - 1, size, ({ to }) => to === from);

/** Consistency proof from the first `from` entries of a tree to its first `size` (RFC 6962 §2.1.2). */
export async function proveConsistency(from: number, size: number, readTile: ReadTile): Promise<Buffer[]> {
  if (from === 0 || from === size) return [];
  const { start, siblings } = consistencyPath(from, size);
  // The verifier knows the older root.
  const ranges = start.from === 0 ? siblings : [start, ...siblings];
  return Promise.all(ranges.map((range) => hashRange(range, readTile)));
}

/** Inclusion proof of an entry in a tree of `size` entries (RFC 6962 §2.1.1), the leaf's sibling first. */
export async function proveInclusion(index: number, size: number, readTile: ReadTile): Promise<Buffer[]> {
  const { siblings } = inclusionPath(index, size);
  return Promise.all(siblings.map((sibling) => hashRange(sibling, readTile)));
}

/** Whether the proof shows that the newer tree begins with all of the older one. */
export function verifyConsistency(older: SignedTree, newer: SignedTree, proof: readonly Buffer[]): boolean {
  if (older.size > newer.size) return false;
  if (older.size === newer.size) return proof.length === 0 && older.root.equals(newer.root);
  if (older.size === 0) return proof.length === 0 && older.root.equals(EMPTY_ROOT);
  const { start, siblings } = consistencyPath(older.size, newer.size);
  const [first, ...hashes] = start.from === 0 ? [older.root, ...proof] : proof;
  if (first === undefined || hashes.length !== siblings.length) return false;
  let [olderRoot, newerRoot] = [first, first];
  for (const [level, hash] of hashes.entries()) {
    const isRight = (siblings[level]?.from ?? 0) >= older.size;
    newerRoot = isRight ? hashNode(newerRoot, hash) : hashNode(hash, newerRoot);
    // What is right of the older tree is no part of it.
    if (!isRight) olderRoot = hashNode(hash, olderRoot);
  }
  return olderRoot.equals(older.root) && newerRoot.equals(newer.root);
}

/** Whether the proof leads from a leaf's hash to the root of the tree. */
export function verifyInclusion(
  { index, leaf }: { index: number; leaf: Buffer },
  tree: SignedTree,
  proof: readonly Buffer[],
): boolean {
  if (index >= tree.size) return false;
  const { siblings } = inclusionPath(index, tree.size);
  if (proof.length !== siblings.length) return false;
  const root = proof.reduce((hash, sibling, level) => {
    const isRight = (siblings[level]?.from ?? 0) > index;
    return isRight ? hashNode(hash, sibling) : hashNode(sibling, hash);
  }, leaf);
  return root.equals(tree.root);
}
