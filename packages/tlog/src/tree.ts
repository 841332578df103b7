import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';

import { TILE_WIDTH, hashesAt } from './tiles.js';

export const HASH_BYTES = 32;

const sha256 = (...parts: readonly Uint8Array[]): Buffer =>
  createHash('sha256').update(Buffer.concat(parts)).digest();

/** Root of the tree without leaves (RFC 6962 §2.1). */
export const EMPTY_ROOT: Buffer = sha256();

/** Hash of a leaf (RFC 6962 §2.1). */
export const hashLeaf = (entry: Uint8Array): Buffer => sha256(Uint8Array.of(0), entry);

/** Hash of a node with two children (RFC 6962 §2.1). */
export const hashNode = (left: Uint8Array, right: Uint8Array): Buffer =>
  sha256(Uint8Array.of(1), left, right);

/** Root of a tree over hashes of leaves, or of perfect trees of one size and a smaller last one (RFC 6962 §2.1). */
export function hashTree(hashes: readonly Buffer[]): Buffer {
  if (hashes.length <= 1) return hashes[0] ?? EMPTY_ROOT;
  const [{ to: middle }] = split({ from: 0, to: hashes.length });
  return hashNode(hashTree(hashes.slice(0, middle)), hashTree(hashes.slice(middle)));
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
export function growTree(edge: TreeEdge, leaves: readonly Buffer[]) {
  const partial = [...edge.partial];
  const tiles: { level: number; n: number; hashes: readonly Buffer[] }[] = [];
  for (let level = 0, added = leaves; added.length > 0; level += 1) {
    const hashes = [...(partial[level] ?? []), ...added];
    const first = hashesAt(edge.size, level + 1);
    const full: Buffer[] = [];
    for (let at = 0; at < hashes.length; at += TILE_WIDTH) {
      const tile = hashes.slice(at, at + TILE_WIDTH);
      tiles.push({ level, n: first + at / TILE_WIDTH, hashes: tile });
      if (tile.length === TILE_WIDTH) full.push(hashTree(tile));
    }
    partial[level] = hashes.slice(full.length * TILE_WIDTH);
    added = full;
  }
  return { edge: { size: edge.size + leaves.length, partial }, tiles };
}

/** Root of the tree: each level is followed by what is right of its last full tile. */
export function rootOf({ partial }: TreeEdge): Buffer {
  let right: Buffer[] = [];
  for (const hashes of partial) {
    const all = [...hashes, ...right];
    right = all.length === 0 ? [] : [hashTree(all)];
  }
  return hashTree(right);
}

/** Leaves of a subtree; `to` is not included. */
interface Range {
  from: number;
  to: number;
}

/** The two subtrees below a node with more than one leaf (RFC 6962 §2.1). */
function split({ from, to }: Range): [left: Range, right: Range] {
  let power = 1;
  while (2 * power < to - from) power *= 2;
  const middle = from + power;
  return [
    { from, to: middle },
    { from: middle, to },
  ];
}

/** Hash of a subtree from stored tiles; only the one at the right edge of the tree is not perfect. */
async function hashRange({ from, to }: Range, readTile: ReadTile): Promise<Buffer> {
  const count = to - from;
  const [left, right] = split({ from, to });
  if (count > 1 && left.to - from !== to - left.to)
    return hashNode(await hashRange(left, readTile), await hashRange(right, readTile));
  let level = 0;
  while (TILE_WIDTH ** (level + 1) <= count) level += 1;
  const first = hashesAt(from, level);
  const [at, width] = [first % TILE_WIDTH, hashesAt(count, level)];
  const tile = await readTile(level, Math.floor(first / TILE_WIDTH), at + width);
  return hashTree(splitHashes(tile, at + width).slice(at));
}

/** A subtree beside the way from a leaf to the root. */
interface Sibling extends Range {
  isRight: boolean;
}

/** The way up from the largest subtree that holds a leaf and fits: that subtree, and the siblings, the lowest first. */
function pathUp(index: number, size: number, fits: (range: Range) => boolean) {
  const siblings: Sibling[] = [];
  let start: Range = { from: 0, to: size };
  while (!fits(start)) {
    const [left, right] = split(start);
    const isRight = index < left.to;
    siblings.unshift({ ...(isRight ? right : left), isRight });
    start = isRight ? left : right;
  }
  return { start, siblings };
}

const inclusionPath = (index: number, size: number) => pathUp(index, size, ({ from, to }) => to - from === 1);

/** Starts at the largest subtree that ends where the older tree does. */
const consistencyPath = (from: number, size: number) => pathUp(from - 1, size, ({ to }) => to === from);

/** The root above a subtree, from the hashes of its siblings. */
const climb = (start: Buffer, siblings: readonly Sibling[], hashes: readonly Buffer[]): Buffer =>
  hashes.reduce(
    (hash, beside, level) =>
      siblings[level]?.isRight === true ? hashNode(hash, beside) : hashNode(beside, hash),
    start,
  );

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
  // What is right of the older tree is no part of it.
  const left = siblings.filter(({ isRight }) => !isRight);
  const leftHashes = hashes.filter((_, level) => siblings[level]?.isRight === false);
  return (
    climb(first, left, leftHashes).equals(older.root) && climb(first, siblings, hashes).equals(newer.root)
  );
}

/** Whether the proof leads from the hash of the leaf at `index` to the root of the tree. */
export function verifyInclusion(
  { index, leaf }: { index: number; leaf: Buffer },
  { size, root }: SignedTree,
  proof: readonly Buffer[],
): boolean {
  if (index >= size) return false;
  const { siblings } = inclusionPath(index, size);
  return proof.length === siblings.length && climb(leaf, siblings, proof).equals(root);
}
