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
const KEPT_CHECKPOINTS = 100;

/** Cosignatures by the configured witnesses; those of other keys are neither read nor counted. */
export class CosignatureStore {
  constructor(
    private readonly database: Database,
    private readonly verifierKeys: readonly string[],
  ) {}

  /** Lines below the checkpoint of this size. */
  async readLines(size: number): Promise<string> {
    return (await this.#lines(this.database.client, size)).join('');
  }

  /** Size of the last checkpoint that each witness has cosigned, by verifier key. */
  async readSizes(): Promise<Map<string, number>> {
    const rows = await this.database.client.logCosignature.groupBy({
      by: 'verifierKey',
      where: { verifierKey: { in: [...this.verifierKeys] } },
      _max: { size: true },
    });
    return new Map(rows.map(({ verifierKey, _max }) => [verifierKey, _max.size ?? 0]));
  }

  /** Stores a cosignature; with those of `quorum` witnesses the checkpoint is a witnessed one. */
  async keep({ verifierKey, size, checkpoint, line }: NewCosignature, quorum: number): Promise<void> {
    await this.database.client.$transaction(async (tx) => {
      // Two cosignatures that are stored at once must see each other: writing to this row locks it.
      await tx.logState.updateMany({ where: { id: 1 }, data: { id: 1 } });
      const key = { size, verifierKey };
      await tx.logCosignature.upsert({
        where: { size_verifierKey: key },
        create: { ...key, line },
        update: { line },
      });
      const lines = await this.#lines(tx, size);
      if (lines.length >= quorum)
        await tx.logState.updateMany({
          where: { id: 1, witnessedSize: { lte: size } },
          data: { witnessed: checkpoint + lines.join(''), witnessedSize: size },
        });
      const kept = await tx.logCosignature.findMany({
        distinct: 'size',
        orderBy: { size: 'desc' },
        select: { size: true },
      });
      const oldest = kept[KEPT_CHECKPOINTS - 1];
      if (oldest !== undefined) await tx.logCosignature.deleteMany({ where: { size: { lt: oldest.size } } });
    });
  }

  async #lines({ logCosignature }: Db | DbTransaction, size: number): Promise<string[]> {
    const rows = await logCosignature.findMany({
      where: { size, verifierKey: { in: [...this.verifierKeys] } },
      orderBy: { verifierKey: 'asc' },
    });
    return rows.map(({ line }) => line);
  }
}
