import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';

import {
  EMPTY_ROOT,
  growTree,
  hashLeaf,
  hashNode,
  isWithin,
  parseTilePlace,
  proveConsistency,
  proveInclusion,
  rootOf,
  verifyConsistency,
  verifyInclusion,
  type TreeEdge,
} from '../src/index.js';
import { storedTree } from './support/logs.js';

const leavesUpTo = (size: number) =>
  Array.from({ length: size }, (_, index) => hashLeaf(Buffer.from(`entry ${index}`)));

function splitOf(count: number): number {
  let power = 1;
  while (2 * power < count) power *= 2;
  return power;
}

/** RFC 6962 §2.1 word by word. */
function treeHash(leaves: readonly Buffer[]): Buffer {
  if (leaves.length <= 1) return leaves[0] ?? EMPTY_ROOT;
  const middle = splitOf(leaves.length);
  return hashNode(treeHash(leaves.slice(0, middle)), treeHash(leaves.slice(middle)));
}

/** RFC 6962 §2.1.1 word by word. */
function path(index: number, leaves: readonly Buffer[]): Buffer[] {
  if (leaves.length <= 1) return [];
  const middle = splitOf(leaves.length);
  const [left, right] = [leaves.slice(0, middle), leaves.slice(middle)];
  return index < middle
    ? [...path(index, left), treeHash(right)]
    : [...path(index - middle, right), treeHash(left)];
}

/** RFC 6962 §2.1.2 word by word. */
function consistencyOf(from: number, leaves: readonly Buffer[], isWhole = true): Buffer[] {
  if (from === leaves.length) return isWhole ? [] : [treeHash(leaves)];
  const middle = splitOf(leaves.length);
  const [left, right] = [leaves.slice(0, middle), leaves.slice(middle)];
  return from <= middle
    ? [...consistencyOf(from, left, isWhole), treeHash(right)]
    : [...consistencyOf(from - middle, right, false), treeHash(left)];
}

/** Three levels of tiles. */
const LARGE = 65_800;
const OTHER = hashLeaf(Buffer.from('another'));

describe('the tree of the log (RFC 6962 §2.1)', () => {
  it('has the root of the reference tree', () => {
    const entries = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657'];
    const leaves = [...entries, '606162636465666768696a6b6c6d6e6f'].map((hex) =>
      hashLeaf(Buffer.from(hex, 'hex')),
    );
    const root = '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328';
    expect(storedTree(leaves).tree.root.toString('hex')).toBe(root);
    expect(rootOf({ size: 0, partial: [] })).toEqual(EMPTY_ROOT);
  });

  it('has the root and tiles that the definition gives, in whatever steps it grew', () => {
    const leaves = leavesUpTo(600);
    const whole = storedTree(leaves);
    for (const steps of [[255, 600], [256, 257, 512, 600], leaves.map((_, index) => index + 1)]) {
      let edge: TreeEdge = { size: 0, partial: [] };
      const stored = new Map<string, unknown>();
      for (const size of steps) {
        const grown = growTree(edge, leaves.slice(edge.size, size));
        for (const { level, n, hashes } of grown.tiles) stored.set(`${level}/${n}`, hashes);
        edge = grown.edge;
        expect(rootOf(edge)).toEqual(treeHash(leaves.slice(0, size)));
      }
      expect(rootOf(edge)).toEqual(treeHash(leaves));
      expect(stored).toEqual(new Map(whole.tiles.map(({ level, n, hashes }) => [`${level}/${n}`, hashes])));
    }
  });
});

describe('a proof (RFC 6962 §2.1.1, §2.1.2)', () => {
  it('of inclusion has the hashes of the definition, and is refused when changed', async () => {
    for (const size of [1, 2, 3, 7, 8, 255, 256, 257, 300, 600, LARGE]) {
      const leaves = leavesUpTo(size);
      const { tree, readTile } = storedTree(leaves);
      for (const index of new Set([0, splitOf(size) - 1, size - 1])) {
        const proof = await proveInclusion(index, size, readTile);
        expect(proof).toEqual(path(index, leaves));
        const accepts = (mutant: readonly Buffer[], { at = index, leaf = leaves[index]! } = {}) =>
          verifyInclusion({ index: at, leaf }, tree, mutant);
        expect(accepts(proof)).toBe(true);
        const refused = [
          ...mutantsOf(proof).map((mutant) => accepts(mutant)),
          accepts(proof, { at: index + size }),
          accepts(proof, { leaf: OTHER }),
        ];
        expect(refused).not.toContain(true);
      }
    }
  });

  it('of consistency has the hashes of the definition, and is refused when anything is changed', async () => {
    for (const size of [1, 2, 3, 4, 7, 8, 9, 33, 64, 257, LARGE]) {
      const leaves = leavesUpTo(size);
      const { tree: newer, readTile } = storedTree(leaves);
      const sizes = size === LARGE ? [255, 65_536] : leaves.map((_, index) => index + 1);
      for (const from of sizes.filter((each) => each < 20 || each % 32 < 2 || each % 29 === 0)) {
        const older = { size: from, root: treeHash(leaves.slice(0, from)) };
        const proof = await proveConsistency(from, size, readTile);
        expect(proof).toEqual(consistencyOf(from, leaves));
        expect(verifyConsistency(older, newer, proof)).toBe(true);
        const refused = [
          ...mutantsOf(proof).map((mutant) => verifyConsistency(older, newer, mutant)),
          verifyConsistency({ ...older, root: OTHER }, newer, proof),
          verifyConsistency(older, { size, root: OTHER }, proof),
          from < size && verifyConsistency(newer, older, proof),
          from < size && verifyConsistency({ ...older, root: newer.root }, newer, []),
        ];
        expect(refused).not.toContain(true);
      }
    }
  });

  it('is empty from no entries on, whose root is known', () => {
    const { tree } = storedTree(leavesUpTo(5));
    expect(verifyConsistency({ size: 0, root: EMPTY_ROOT }, tree, [])).toBe(true);
    expect(verifyConsistency({ size: 0, root: tree.root }, tree, [])).toBe(false);
    expect(verifyConsistency({ size: 0, root: EMPTY_ROOT }, tree, [EMPTY_ROOT])).toBe(false);
  });
});

/** The proof with a hash dropped, changed, doubled or added, and reversed. */
function mutantsOf(proof: readonly Buffer[]): Buffer[][] {
  return [
    ...proof.flatMap((hash, index) => [
      proof.toSpliced(index, 1),
      proof.toSpliced(index, 1, OTHER),
      proof.toSpliced(index, 0, hash),
    ]),
    [...proof, OTHER],
    ...(proof.length > 1 ? [proof.toReversed()] : []),
  ];
}

describe('a path of a tile (C2SP tlog-tiles)', () => {
  it.each([
    ['0/x001/x234/067', { level: 0, n: 1_234_067, width: 256 }],
    ['0/000', { level: 0, n: 0, width: 256 }],
    ['entries/x001/000.p/17', { level: 'entries', n: 1000, width: 17 }],
    ['2/000.p/1', { level: 2, n: 0, width: 1 }],
  ])('%s is read', (text, place) => {
    expect(parseTilePlace(text)).toEqual(place);
  });

  it('is read in its only form', () => {
    const shapes = '0/0 0/0000 0/x000/001 0/001/000 00/000 9/000 -1/000 x/000 0/000/ 0/ 0/٠٠٠';
    const widths = '0/000.p/0 0/000.p/256 0/000.p/017 entries/000.p/ 0/000.p/17/1';
    const paths = `${shapes} ${widths} 0/x999/x999/x999/x999/x999/x999/999`.split(' ');
    expect(paths.filter((path) => parseTilePlace(path) !== null)).toEqual([]);
  });

  it('leads to nothing beyond the size of the tree', () => {
    expect(isWithin({ level: 0, n: 273, width: 112 }, 70_000)).toBe(true);
    expect(isWithin({ level: 0, n: 273, width: 113 }, 70_000)).toBe(false);
    expect(isWithin({ level: 1, n: 1, width: 17 }, 70_000)).toBe(true);
    expect(isWithin({ level: 1, n: 1, width: 18 }, 70_000)).toBe(false);
    expect(isWithin({ level: 'entries', n: 273, width: 113 }, 70_000)).toBe(false);
  });
});
