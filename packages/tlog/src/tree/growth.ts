import type { Buffer } from 'node:buffer';

import { EMPTY_ROOT, hashNode, hashPerfect } from './hashes.js';
import { TILE_WIDTH } from './tiles.js';

/** A tree as far as it is needed to make it larger and to know its root. */
export interface TreeEdge {
  size: number;
  /** Hashes of the last, not full tile of each level; empty where there is none. */
  partial: readonly (readonly Buffer[])[];
}

/** A tile that has become larger. */
export interface GrownTile {
  level: number;
  n: number;
  hashes: readonly Buffer[];
}

/** Appends hashes of leaves. Returns the new edge and every tile that is new or larger, full ones included. */
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
    tiles.push({ level, n: size / TILE_WIDTH ** (level + 1) - 1, hashes });
    partial[level] = [];
    push(level + 1, hashPerfect(hashes));
  };
  for (const leaf of leaves) {
    size += 1;
    push(0, leaf);
  }
  for (const level of grown) {
    const hashes = partial[level] ?? [];
    if (hashes.length > 0) tiles.push({ level, n: Math.floor(size / TILE_WIDTH ** (level + 1)), hashes });
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
