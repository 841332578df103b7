import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';

import {
  EMPTY_ROOT,
  growTree,
  hashLeaf,
  hashNode,
  hashTree,
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

const OTHER = hashLeaf(Buffer.from('another'));

describe('the tree of the log (RFC 6962 §2.1)', () => {
  it('has the root of the reference tree', () => {
    const leaves = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657'].map((hex) =>
      hashLeaf(Buffer.from(hex, 'hex')),
    );
    const root = 'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c';
    expect(hashTree(leaves).toString('hex')).toBe(root);
    expect(hashTree([])).toEqual(EMPTY_ROOT);
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
        expect(rootOf(edge)).toEqual(hashTree(leaves.slice(0, size)));
      }
      expect(stored).toEqual(new Map(whole.tiles.map(({ level, n, hashes }) => [`${level}/${n}`, hashes])));
    }
  });
});

describe('a proof (RFC 6962 §2.1.1, §2.1.2)', () => {
  it('has the hashes of the example in RFC 6962 §2.1.3', async () => {
    const leaves = leavesUpTo(7);
    const [a, b, c, d, e, f, j] = leaves as [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer];
    const [g, h, i] = [hashNode(a, b), hashNode(c, d), hashNode(e, f)];
    const [k, l] = [hashNode(g, h), hashNode(i, j)];
    const { readTile } = storedTree(leaves);
    expect(await proveInclusion(0, 7, readTile)).toEqual([b, h, l]);
    expect(await proveInclusion(3, 7, readTile)).toEqual([c, g, l]);
    expect(await proveInclusion(4, 7, readTile)).toEqual([f, j, k]);
    expect(await proveInclusion(6, 7, readTile)).toEqual([i, k]);
    expect(await proveConsistency(3, 7, readTile)).toEqual([c, d, g, l]);
    expect(await proveConsistency(4, 7, readTile)).toEqual([l]);
    expect(await proveConsistency(6, 7, readTile)).toEqual([i, j, k]);
    expect(await proveConsistency(7, 7, readTile)).toEqual([]);
  });

  it.each([1, 2, 3, 8, 9, 64, 257, 600, 65_800])(
    'of %i entries is accepted, and none like it',
    async (size) => {
      const leaves = leavesUpTo(size);
      const { tree, readTile } = storedTree(leaves);
      const [empty, other] = [EMPTY_ROOT, OTHER].map((root) => ({ size: 0, root }));
      expect(verifyConsistency(empty!, tree, [])).toBe(true);
      const accepted = [verifyConsistency(other!, tree, []), verifyConsistency(empty!, tree, [OTHER])];
      for (const from of new Set([1, 2, 3, 7, 32, 255, 256, 65_536, size])) {
        if (from > size) continue;
        const older = { size: from, root: storedTree(leaves.slice(0, from)).tree.root };
        const entry = { index: from - 1, leaf: leaves[from - 1]! };
        const grown = await proveConsistency(from, size, readTile);
        const included = await proveInclusion(from - 1, size, readTile);
        expect([from, verifyConsistency(older, tree, grown)]).toEqual([from, true]);
        expect([from, verifyInclusion(entry, tree, included)]).toEqual([from, true]);
        accepted.push(
          ...mutantsOf(grown).map((mutant) => verifyConsistency(older, tree, mutant)),
          ...mutantsOf(included).map((mutant) => verifyInclusion(entry, tree, mutant)),
          verifyInclusion({ ...entry, index: from - 1 + size }, tree, included),
          verifyInclusion({ ...entry, leaf: OTHER }, tree, included),
          verifyConsistency({ ...older, root: OTHER }, tree, grown),
          verifyConsistency(older, { size, root: OTHER }, grown),
          from < size && verifyConsistency(tree, older, grown),
          from < size && verifyConsistency({ ...older, root: tree.root }, tree, []),
        );
      }
      expect(accepted).not.toContain(true);
    },
  );
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
