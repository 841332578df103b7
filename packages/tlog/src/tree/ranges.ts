import type { Buffer } from 'node:buffer';

import { HASH_BYTES, hashNode, hashPerfect } from './hashes.js';
import { TILE_WIDTH } from './tiles.js';

/** Hashes of a tile, at least `width` of them, in one piece. */
export type ReadTile = (level: number, n: number, width: number) => Promise<Buffer>;

/** Leaves of a subtree, in order. */
export interface Range {
  from: number;
  /** Not included. */
  to: number;
}

/** Levels of a tree that one level of tiles stands for. */
const TILE_HEIGHT = 8;

/** The two subtrees below a node with more than one leaf (RFC 6962 §2.1). */
export function splitRange({ from, to }: Range): [left: Range, right: Range] {
  const middle = from + largestPowerBelow(to - from);
  return [
    { from, to: middle },
    { from: middle, to },
  ];
}

/** Hash of a subtree out of stored tiles; only the one at the right edge of the tree is not perfect. */
export async function hashRange(range: Range, readTile: ReadTile): Promise<Buffer> {
  const count = range.to - range.from;
  if (count === 1 || count === 2 * largestPowerBelow(count)) return hashPerfectRange(range, readTile);
  const [left, right] = splitRange(range);
  return hashNode(await hashPerfectRange(left, readTile), await hashRange(right, readTile));
}

async function hashPerfectRange({ from, to }: Range, readTile: ReadTile): Promise<Buffer> {
  const level = Math.floor(Math.log2(to - from) / TILE_HEIGHT);
  const unit = TILE_WIDTH ** level;
  const [first, count] = [from / unit, (to - from) / unit];
  const at = first % TILE_WIDTH;
  const tile = await readTile(level, Math.floor(first / TILE_WIDTH), at + count);
  const hashes = Array.from({ length: count }, (_, index) =>
    tile.subarray((at + index) * HASH_BYTES, (at + index + 1) * HASH_BYTES),
  );
  return hashPerfect(hashes);
}

/** The largest power of two below a count above one; 1 for one. */
function largestPowerBelow(count: number): number {
  let power = 1;
  while (2 * power < count) power *= 2;
  return power;
}
