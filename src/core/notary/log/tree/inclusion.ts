import type { Buffer } from 'node:buffer';

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
