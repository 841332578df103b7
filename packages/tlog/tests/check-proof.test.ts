import { describe, expect, it } from 'vitest';

import { checkProof, growTree, hashLeaf, proveInclusion, writeProof } from '../src/index.js';
import { ORIGIN_KEY, filesOf, madeEntries, seededRandom } from './support/log-origin.js';

const { verifier } = ORIGIN_KEY;

/** What a log of so many entries answers about one of them. */
async function proofOf(index: number, size: number) {
  const entries = madeEntries(0, size);
  const { tiles } = growTree({ size: 0, partial: [] }, entries.map(hashLeaf));
  const byPlace = new Map(tiles.map(({ level, n, hashes }) => [`${level}/${n}`, Buffer.concat(hashes)]));
  const hashes = await proveInclusion(index, size, async (level, n) => byPlace.get(`${level}/${n}`)!);
  const checkpoint = filesOf(entries).get('checkpoint')!.toString();
  return { index, entry: entries[index]!, hashes, checkpoint };
}

const isBelieved = (text: string) => typeof checkProof(text, verifier) !== 'string';

describe('a proof that is checked by itself (C2SP tlog-proof)', () => {
  it('shows its entry, for every entry of every small tree and some of large ones', async () => {
    const random = seededRandom(1);
    const places = Array.from({ length: 20 }, (_, size) =>
      Array.from({ length: size }, (__, index) => [index, size]),
    ).flat();
    for (const size of [255, 256, 257, 600]) {
      places.push([0, size], [size - 1, size], [random(size), size], [random(size), size]);
    }
    places.push([65_537, 66_000]);
    for (const [index, size] of places) {
      const proof = await proofOf(index!, size!);
      expect(checkProof(writeProof(proof), verifier)).toMatchObject({
        index,
        entry: proof.entry,
        checkpoint: { size },
      });
    }
  });

  it('is refused with any bit flipped', async () => {
    for (const [index, size] of [
      [0, 1],
      [4, 7],
      [299, 300],
    ]) {
      const bytes = Buffer.from(writeProof(await proofOf(index!, size!)));
      const believed = Array.from({ length: 8 * bytes.length }, (_, bit) => {
        const mutant = Buffer.from(bytes);
        mutant[bit >> 3]! ^= 1 << (bit & 7);
        return isBelieved(mutant.toString()) ? bit : null;
      });
      expect(believed.filter((bit) => bit !== null)).toEqual([]);
    }
  });
});
