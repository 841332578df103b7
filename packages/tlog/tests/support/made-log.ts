import { Buffer } from 'node:buffer';

import { LogKey, growTree, hashLeaf, proveConsistency, rootOf } from '../../src/index.js';
import { madeEntries } from './log-origin.js';

export const OTHER_LOG_KEY = new LogKey('log.test/other', Buffer.alloc(32, 12));

/** A log of which all is in memory; `face` makes its entries differ from those of another face from `forkAt` on. */
export class MadeLog {
  readonly #leaves: readonly Buffer[];

  constructor(
    size: number,
    private readonly key = OTHER_LOG_KEY,
    { face = '', forkAt = 0 } = {},
  ) {
    this.#leaves = madeEntries(0, size).map((entry, index) =>
      hashLeaf(index < forkAt ? entry : Buffer.concat([entry, Buffer.from(face)])),
    );
  }

  checkpoint(size: number): string {
    const { edge } = growTree({ size: 0, partial: [] }, this.#leaves.slice(0, size));
    return this.key.signNote(`${this.key.name}\n${size}\n${rootOf(edge).toString('base64')}\n`);
  }

  prove(from: number, size: number): Promise<Buffer[]> {
    const { tiles } = growTree({ size: 0, partial: [] }, this.#leaves.slice(0, size));
    const stored = new Map(tiles.map(({ level, n, hashes }) => [`${level}/${n}`, Buffer.concat(hashes)]));
    return proveConsistency(from, size, async (level, n) => stored.get(`${level}/${n}`)!);
  }

  /** The body that asks a witness to cosign. */
  async offer(from: number, size: number): Promise<Buffer> {
    const proof = from > size ? [] : await this.prove(from, size);
    return offerBody(from, proof, this.checkpoint(size));
  }
}

export function offerBody(from: number, proof: readonly Buffer[], checkpoint: string): Buffer {
  const lines = proof.map((hash) => `${hash.toString('base64')}\n`).join('');
  return Buffer.from(`old ${from}\n${lines}\n${checkpoint}`);
}
