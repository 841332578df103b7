import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';

import {
  EMPTY_ROOT,
  type TreeEdge,
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
} from '../src/index.js';

const EMPTY: TreeEdge = { size: 0, partial: [] };

/** Leaves and roots of the reference tree of RFC 6962's implementations. */
const REFERENCE_LEAVES = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
];
const REFERENCE_ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

const leavesUpTo = (size: number) =>
  Array.from({ length: size }, (_, index) => hashLeaf(Buffer.from(`entry ${index}`)));

/** Sizes up to this one: all small ones, those beside powers of two, and every 29th. */
const sampled = (size: number) =>
  Array.from({ length: size }, (_, index) => index + 1).filter(
    (each) => each < 20 || each === size || each % 29 === 0 || [0, 1, 31].includes(each % 32),
  );

/** RFC 6962 §2.1 word by word. */
function treeHash(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return EMPTY_ROOT;
  if (leaves.length === 1) return leaves[0]!;
  const middle = splitOf(leaves.length);
  return hashNode(treeHash(leaves.slice(0, middle)), treeHash(leaves.slice(middle)));
}

function splitOf(count: number): number {
  let power = 1;
  while (2 * power < count) power *= 2;
  return power;
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

/** Grows a tree in steps; its tiles by place. */
function grown(steps: readonly number[]) {
  const leaves = leavesUpTo(Math.max(...steps));
  const tiles = new Map<string, Buffer>();
  let edge = EMPTY;
  for (const size of steps) {
    const growth = growTree(edge, leaves.slice(edge.size, size));
    for (const { level, n, hashes } of growth.tiles) tiles.set(`${level}/${n}`, Buffer.concat(hashes));
    edge = growth.edge;
  }
  return { edge, tiles, leaves };
}

/** Three levels of tiles; building it takes a second. */
const LARGE = 65_800;
const large = grown([65_535, 65_537, LARGE]);

describe('the tree of the log (RFC 6962 §2.1)', () => {
  it('has the roots of the reference tree', () => {
    const leaves = REFERENCE_LEAVES.map((hex) => hashLeaf(Buffer.from(hex, 'hex')));
    const roots = REFERENCE_ROOTS.map((_, size) => rootOf(growTree(EMPTY, leaves.slice(0, size)).edge));
    expect(roots.map((root) => root.toString('hex'))).toEqual(REFERENCE_ROOTS);
  });

  it('has the root that the definition gives, in whatever steps it grew', () => {
    const leaves = leavesUpTo(600);
    let edge = EMPTY;
    const roots = leaves.map((leaf) => {
      edge = growTree(edge, [leaf]).edge;
      return rootOf(edge);
    });
    for (const size of sampled(600)) expect(roots[size - 1]).toEqual(treeHash(leaves.slice(0, size)));
    for (const steps of [[600], [255, 600], [256, 257, 512, 600], [1, 513, 600]]) {
      expect(rootOf(grown(steps).edge)).toEqual(treeHash(leaves));
    }
  });
});

/** A tree of this size, and its tiles as they are stored. */
function storedTree(size: number) {
  const { tiles, leaves } = size === LARGE ? large : grown([size]);
  const readTile = async (level: number, n: number, width: number) => {
    const tile = tiles.get(`${level}/${n}`);
    if (tile === undefined || tile.length < 32 * width) throw new Error(`no tile ${level}/${n} of ${width}`);
    return tile;
  };
  return { leaves, readTile };
}

describe('an inclusion proof (RFC 6962 §2.1.1)', () => {
  const proverOf = (size: number) => {
    const { leaves, readTile } = storedTree(size);
    return { prove: (index: number) => proveInclusion(index, size, readTile), leaves };
  };

  it('has the hashes of the definition, leaf first, over up to three levels of tiles', async () => {
    for (const size of [1, 2, 3, 7, 8, 255, 256, 257, 300, 600, LARGE]) {
      const { prove, leaves } = proverOf(size);
      const middle = size === LARGE ? 65_536 : Math.floor(size / 2);
      const tree = { size, root: treeHash(leaves) };
      for (const index of [0, middle, size - 1]) {
        const proof = await prove(index);
        expect(proof).toEqual(path(index, leaves));
        expect(verifyInclusion({ index, leaf: leaves[index]! }, tree, proof)).toBe(true);
        expect(verifyInclusion({ index: index + size, leaf: leaves[index]! }, tree, proof)).toBe(false);
      }
    }
  });
});

describe('a consistency proof (RFC 6962 §2.1.2)', () => {
  const treeOf = (leaves: readonly Buffer[]) => ({ size: leaves.length, root: treeHash(leaves) });

  it('has the hashes of the definition, and is accepted', async () => {
    for (const size of [1, 2, 3, 4, 7, 8, 9, 33, 64, 257]) {
      const { leaves, readTile } = storedTree(size);
      const newer = treeOf(leaves);
      for (const from of sampled(size)) {
        const proof = await proveConsistency(from, size, readTile);
        expect(proof).toEqual(consistencyOf(from, leaves));
        expect(verifyConsistency(treeOf(leaves.slice(0, from)), newer, proof)).toBe(true);
      }
    }
  });

  it('spans three levels of tiles', async () => {
    const { leaves, readTile } = storedTree(LARGE);
    expect(rootOf(large.edge)).toEqual(treeHash(leaves));
    for (const from of [255, 65_536]) {
      const proof = await proveConsistency(from, LARGE, readTile);
      expect(proof).toEqual(consistencyOf(from, leaves));
      const older = treeOf(leaves.slice(0, from));
      expect(verifyConsistency(older, treeOf(leaves), proof)).toBe(true);
    }
  });

  it('is empty from no entries on, whose root is known', () => {
    const [empty, newer] = [treeOf([]), treeOf(leavesUpTo(5))];
    expect(verifyConsistency(empty, newer, [])).toBe(true);
    expect(verifyConsistency({ size: 0, root: newer.root }, newer, [])).toBe(false);
    expect(verifyConsistency(empty, newer, [EMPTY_ROOT])).toBe(false);
  });

  it('is refused with a hash changed, dropped, added or moved, and with another root or size', async () => {
    for (const [from, size] of [
      [1, 2],
      [3, 7],
      [4, 7],
      [6, 8],
      [129, 300],
      [256, 300],
    ] as const) {
      const { leaves, readTile } = storedTree(size);
      const [older, newer] = [treeOf(leaves.slice(0, from)), treeOf(leaves)];
      const proof = await proveConsistency(from, size, readTile);
      const other = hashLeaf(Buffer.from('another'));
      const mutants = [
        ...proof.map((_, index) => proof.toSpliced(index, 1)),
        ...proof.map((_, index) => proof.toSpliced(index, 1, other)),
        ...proof.map((hash, index) => proof.toSpliced(index, 0, hash)),
        [...proof, other],
        [],
      ];
      const accepted = [
        ...mutants.map((mutant) => verifyConsistency(older, newer, mutant)),
        ...(proof.length > 1 ? [verifyConsistency(older, newer, proof.toReversed())] : []),
        verifyConsistency({ size: from, root: other }, newer, proof),
        verifyConsistency(older, { size, root: other }, proof),
        verifyConsistency(newer, older, proof),
        verifyConsistency(older, { size: from, root: newer.root }, []),
      ];
      expect(accepted).not.toContain(true);
    }
  });
});

describe('a path of a tile (C2SP tlog-tiles)', () => {
  it.each([
    ['0/x001/x234/067', { level: 0, n: 1_234_067, width: 256 }],
    ['0/000', { level: 0, n: 0, width: 256 }],
    ['entries/x001/000.p/17', { level: 'entries', n: 1000, width: 17 }],
    ['2/000.p/1', { level: 2, n: 0, width: 1 }],
  ])('%s is read', (text, place) => {
    expect(parseTilePlace(text)).toEqual(place);
  });

  it.each([
    '0/0',
    '0/0000',
    '0/x000/001',
    '0/001/000',
    '0/000.p/0',
    '0/000.p/256',
    '0/000.p/017',
    '00/000',
    '9/000',
    '-1/000',
    'x/000',
    '0/000/',
    '0/',
    '0/x999/x999/x999/x999/x999/x999/999',
    'entries/000.p/',
    '0/000.p/17/1',
    '0/٠٠٠',
  ])('%s is none', (text) => {
    expect(parseTilePlace(text)).toBeNull();
  });

  it('leads to nothing beyond the size of the tree', () => {
    expect(isWithin({ level: 0, n: 273, width: 112 }, 70_000)).toBe(true);
    expect(isWithin({ level: 0, n: 273, width: 113 }, 70_000)).toBe(false);
    expect(isWithin({ level: 1, n: 1, width: 17 }, 70_000)).toBe(true);
    expect(isWithin({ level: 1, n: 1, width: 18 }, 70_000)).toBe(false);
    expect(isWithin({ level: 'entries', n: 273, width: 113 }, 70_000)).toBe(false);
  });
});
