import type { Buffer } from 'node:buffer';

import { HASH_BYTES, hashNode, hashPerfect } from './hashes.js';
import { TILE_WIDTH } from './tiles.js';

/** Hashes of a tile, at least `width` of them, in one piece. */
export type ReadTile = (level: number, n: number, width: number) => Promise<Buffer>;

interface Range {
  from: number;
  /** Not included. */
  to: number;
}

/** Levels of a tree that one level of tiles stands for. */
const TILE_HEIGHT = 8;

/**
 * Inclusion proof of an entry in a tree of `size` entries (RFC 6962 §2.1.1), the leaf's sibling first. `index` is
 * below `size`.
 */
export async function proveInclusion(index: number, size: number, readTile: ReadTile): Promise<Buffer[]> {
  const siblings: Range[] = [];
  let range: Range = { from: 0, to: size };
  while (range.to - range.from > 1) {
    const middle = range.from + largestPowerBelow(range.to - range.from);
    const [left, right] = [
      { from: range.from, to: middle },
      { from: middle, to: range.to },
    ];
    siblings.push(index < middle ? right : left);
    range = index < middle ? left : right;
  }
  return Promise.all(siblings.toReversed().map((sibling) => hashRange(sibling, readTile)));
}

/** Hash of a subtree; only the one at the right edge of the tree is not perfect. */
async function hashRange({ from, to }: Range, readTile: ReadTile): Promise<Buffer> {
  const count = to - from;
  const largest = largestPowerBelow(count);
  if (count === 1 || count === 2 * largest) return hashPerfectRange({ from, to }, readTile);
  const middle = from + largest;
  return hashNode(
    await hashPerfectRange({ from, to: middle }, readTile),
    await hashRange({ from: middle, to }, readTile),
  );
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
