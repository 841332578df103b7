import { z } from 'zod';

import type { Database, Db, DbTransaction } from '../../store/db.js';

/** A cosignature of a checkpoint of ours. */
export interface NewCosignature {
  verifierKey: string;
  size: number;
  /** The checkpoint it is below, as signed by us. */
  checkpoint: string;
  line: string;
}

/** Cosignatures of so many checkpoints are kept; slower witnesses do not count. */
const KEPT_CHECKPOINTS = 20;

/** Cosignatures by the configured witnesses; those of other keys are neither read nor counted. */
export class CosignatureStore {
  constructor(
    private readonly database: Database,
    private readonly verifierKeys: readonly string[],
  ) {}

  /** Lines below the checkpoint of this size. */
  async readLines(size: number): Promise<string> {
    return this.#linesOf(await this.#read(this.database.client), size).join('');
  }

  /** Size of the last checkpoint that each witness has cosigned, by verifier key. */
  async readSizes(): Promise<Map<string, number>> {
    const cosigned = await this.#read(this.database.client);
    const sizes = new Map<string, number>();
    for (const [size, lines] of cosigned)
      for (const key of this.verifierKeys)
        if (lines[key] !== undefined) sizes.set(key, Math.max(size, sizes.get(key) ?? 0));
    return sizes;
  }

  /** Stores a cosignature; with those of `quorum` witnesses the checkpoint is a witnessed one. */
  async keep({ verifierKey, size, checkpoint, line }: NewCosignature, quorum: number): Promise<void> {
    await this.database.client.$transaction(async (tx) => {
      // Two cosignatures that are stored at once must see each other: writing to this row locks it.
      await tx.logState.updateMany({ where: { id: 1 }, data: { id: 1 } });
      const cosigned = await this.#read(tx);
      cosigned.set(size, { ...cosigned.get(size), [verifierKey]: line });
      const kept = [...cosigned].toSorted(([a], [b]) => b - a).slice(0, KEPT_CHECKPOINTS);
      const cosignatures = Object.fromEntries(kept);
      await tx.logState.updateMany({ where: { id: 1 }, data: { cosignatures } });
      const lines = this.#linesOf(cosigned, size);
      if (lines.length < quorum) return;
      const witnessed = checkpoint + lines.join('');
      const where = { id: 1, witnessedSize: { lte: size } };
      await tx.logState.updateMany({ where, data: { witnessed, witnessedSize: size } });
    });
  }

  async #read({ logState }: Db | DbTransaction): Promise<Cosigned> {
    const row = await logState.findFirst({ where: { id: 1 }, select: { cosignatures: true } });
    const stored = z.record(z.string(), z.record(z.string(), z.string())).parse(row?.cosignatures ?? {});
    return new Map(Object.entries(stored).map(([size, lines]) => [Number(size), lines]));
  }

  #linesOf(cosigned: Cosigned, size: number): string[] {
    const lines = cosigned.get(size) ?? {};
    return this.verifierKeys.toSorted().flatMap((key) => lines[key] ?? []);
  }
}

/** Lines by verifier key, by size of the checkpoint. */
type Cosigned = Map<number, Readonly<Record<string, string>>>;
