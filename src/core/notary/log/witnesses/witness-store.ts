import type { Database } from '../../../store/db.js';
import { insertRows } from '../../../store/sql/insert-rows.js';
import type { SqlRunner } from '../../../store/sql/plain-sql.js';
import { listOf, rawSql, sql } from '../../../store/sql/sql.js';

/** How offers to a witness went. */
export interface WitnessState {
  /** Of the last checkpoint it cosigned; 0: none. */
  cosignedSize: number;
  /** When, as it states, POSIX ms. */
  cosignedTs: number | null;
  /** No offer before this time, POSIX ms. */
  nextOfferTs: number;
  /** Failures in a row. */
  failures: number;
  /** The last failure, POSIX ms and a sentence; kept after a cosignature. */
  failedTs: number | null;
  error: string | null;
}

/** A cosignature of a checkpoint of ours. */
export interface NewCosignature {
  verifierKey: string;
  size: number;
  /** The checkpoint it is below, as signed by us. */
  checkpoint: string;
  line: string;
  cosignedTs: number;
}

export interface FailedOffer {
  failedTs: number;
  error: string;
  nextOfferTs: number;
}

interface WitnessColumns {
  verifier_key: string;
  cosigned_size: number;
  cosigned_ts: number | string | null;
  next_offer_ts: number | string;
  fail_count: number;
  failed_ts: number | string | null;
  error: string | null;
}

const COLUMNS = rawSql(
  'verifier_key, cosigned_size, cosigned_ts, next_offer_ts, fail_count, failed_ts, error',
);
/** Cosignatures of so many checkpoints are kept; who is slower does not count. */
const KEPT_CHECKPOINTS = 100;
const MAX_ERROR_LENGTH = 300;

/** What is known of the witnesses of the log, by their verifier keys; no others are read or counted. */
export class WitnessStore {
  constructor(
    private readonly database: Database,
    private readonly verifierKeys: readonly string[],
  ) {}

  /** Makes a row for each, and lets go of those that are no longer configured. */
  async create(): Promise<void> {
    await this.database.plain.transaction(async (runner) => {
      const keys = listOf(this.verifierKeys);
      await runner.write(sql`DELETE FROM log_witness WHERE verifier_key NOT IN (${keys})`);
      const rows = this.verifierKeys.map((key) => ({ verifier_key: key }));
      await insertRows(
        runner,
        { table: 'log_witness', conflict: 'ON CONFLICT (verifier_key) DO NOTHING' },
        rows,
      );
    });
  }

  async read(): Promise<Map<string, WitnessState>> {
    const rows = await this.database.plain.query<WitnessColumns>(
      sql`SELECT ${COLUMNS} FROM log_witness WHERE verifier_key IN (${listOf(this.verifierKeys)})`,
    );
    return new Map(rows.map((row) => [row.verifier_key, stateOf(row)]));
  }

  /** Lines below the checkpoint of this size. */
  readLines(size: number): Promise<string> {
    return this.#lines(this.database.plain, size).then((lines) => lines.join(''));
  }

  /** Whether the next offer to the witness is the caller's; nobody else makes one until `untilTs`. */
  async claim(verifierKey: string, { nextOfferTs }: WitnessState, untilTs: number): Promise<boolean> {
    const claimed = await this.database.plain.execute(
      sql`UPDATE log_witness SET next_offer_ts = ${BigInt(untilTs)}
        WHERE verifier_key = ${verifierKey} AND next_offer_ts = ${BigInt(nextOfferTs)}`,
    );
    return claimed === 1;
  }

  /** Keeps a cosignature; with that of `quorum` witnesses the checkpoint is a witnessed one. */
  async keep(
    { verifierKey, size, checkpoint, line, cosignedTs }: NewCosignature,
    quorum: number,
  ): Promise<void> {
    await this.database.plain.transaction(async (runner) => {
      await this.#hold(runner);
      await runner.write(
        sql`UPDATE log_witness SET cosigned_size = ${size}, cosigned_ts = ${BigInt(cosignedTs)},
          next_offer_ts = 0, fail_count = 0 WHERE verifier_key = ${verifierKey}`,
      );
      const target = {
        table: 'log_cosignature',
        conflict: 'ON CONFLICT (size, verifier_key) DO UPDATE SET line = excluded.line',
      };
      await insertRows(runner, target, [{ size, verifier_key: verifierKey, line }]);
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

  async fail(verifierKey: string, { failedTs, error, nextOfferTs }: FailedOffer): Promise<void> {
    await this.database.plain.execute(
      sql`UPDATE log_witness SET fail_count = fail_count + 1, failed_ts = ${BigInt(failedTs)},
        error = ${error.slice(0, MAX_ERROR_LENGTH)}, next_offer_ts = ${BigInt(nextOfferTs)}
        WHERE verifier_key = ${verifierKey}`,
    );
  }

  /** Gives back what `claim` took. */
  async release(verifierKey: string): Promise<void> {
    await this.database.plain.execute(
      sql`UPDATE log_witness SET next_offer_ts = 0 WHERE verifier_key = ${verifierKey}`,
    );
  }

  /** Two cosignatures that are kept at once must see each other. On SQLite a transaction has the write lock. */
  async #hold(runner: SqlRunner): Promise<void> {
    if (this.database.engine === 'sqlite') return;
    await runner.query(sql`SELECT verifier_key FROM log_witness ORDER BY verifier_key FOR UPDATE`);
  }

  async #lines(runner: SqlRunner, size: number): Promise<string[]> {
    const rows = await runner.query<{ line: string }>(
      sql`SELECT line FROM log_cosignature WHERE size = ${size}
        AND verifier_key IN (${listOf(this.verifierKeys)}) ORDER BY verifier_key`,
    );
    return rows.map(({ line }) => line);
  }
}

function stateOf(row: WitnessColumns): WitnessState {
  return {
    cosignedSize: row.cosigned_size,
    cosignedTs: row.cosigned_ts === null ? null : Number(row.cosigned_ts),
    nextOfferTs: Number(row.next_offer_ts),
    failures: row.fail_count,
    failedTs: row.failed_ts === null ? null : Number(row.failed_ts),
    error: row.error,
  };
}
