import type { Database } from '../../store/db.js';
import { insertRows } from '../../store/sql/insert-rows.js';
import type { SqlRunner } from '../../store/sql/plain-sql.js';
import { listOf, sql } from '../../store/sql/sql.js';

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
    return (await this.#lines(this.database.plain, size)).join('');
  }

  /** Size of the last checkpoint that each witness has cosigned, by verifier key. */
  async readSizes(): Promise<Map<string, number>> {
    const rows = await this.database.plain.query<{ verifier_key: string; size: number }>(
      sql`SELECT verifier_key, MAX(size) AS size FROM log_cosignature
        WHERE verifier_key IN (${listOf(this.verifierKeys)}) GROUP BY verifier_key`,
    );
    return new Map(rows.map(({ verifier_key: key, size }) => [key, size]));
  }

  /** Stores a cosignature; with those of `quorum` witnesses the checkpoint is a witnessed one. */
  async keep({ verifierKey, size, checkpoint, line }: NewCosignature, quorum: number): Promise<void> {
    await this.database.plain.transaction(async (runner) => {
      // Two cosignatures that are stored at once must see each other. SQLite transactions hold the write lock.
      if (this.database.engine === 'postgresql')
        await runner.query(sql`SELECT id FROM log_state WHERE id = 1 FOR UPDATE`);
      const conflict = 'ON CONFLICT (size, verifier_key) DO UPDATE SET line = excluded.line';
      const row = { size, verifier_key: verifierKey, line };
      await insertRows(runner, { table: 'log_cosignature', conflict }, [row]);
      const lines = await this.#lines(runner, size);
      if (lines.length >= quorum) {
        await runner.write(
          sql`UPDATE log_state SET witnessed = ${checkpoint + lines.join('')}, witnessed_size = ${size}
            WHERE id = 1 AND witnessed_size <= ${size}`,
        );
      }
      await runner.write(sql`DELETE FROM log_cosignature WHERE size < (SELECT MIN(size) FROM
        (SELECT DISTINCT size FROM log_cosignature ORDER BY size DESC LIMIT ${KEPT_CHECKPOINTS}) AS recent)`);
    });
  }

  async #lines(runner: Pick<SqlRunner, 'query'>, size: number): Promise<string[]> {
    const rows = await runner.query<{ line: string }>(
      sql`SELECT line FROM log_cosignature WHERE size = ${size}
        AND verifier_key IN (${listOf(this.verifierKeys)}) ORDER BY verifier_key`,
    );
    return rows.map(({ line }) => line);
  }
}
