import { Buffer } from 'node:buffer';

import type { Database } from '../../store/db.js';
import type { SqlRunner } from '../../store/sql/plain-sql.js';
import { listOf, rawSql, sql, type Sql } from '../../store/sql/sql.js';
import { EMPTY_ROOT } from '../log/tree/hashes.js';

/** Another's log as we last cosigned it; of size 0 before the first time. */
export interface WitnessedLog {
  size: number;
  root: Buffer;
  /** The signed note with our cosignature; empty before the first one. */
  checkpoint: string;
  /** POSIX ms. */
  cosignedTs: number;
  /** When the log was first seen to sign two roots of one size, POSIX ms; `null`: never. */
  conflictTs: number | null;
}

/** What becomes of a log; no replacement: it stays as it is. */
export interface Decision<T> {
  result: T;
  replacement: WitnessedLog | null;
}

interface LogColumns {
  size: number | string;
  root: Uint8Array;
  checkpoint: string;
  cosigned_ts: number | string;
  conflict_ts: number | string | null;
}

const COLUMNS = rawSql('size, root, checkpoint, cosigned_ts, conflict_ts');
const NOTHING = rawSql('');
const HOLD = rawSql('FOR UPDATE');
const UNSEEN: WitnessedLog = { size: 0, root: EMPTY_ROOT, checkpoint: '', cosignedTs: 0, conflictTs: null };

/** Rows of the witness: one for each log it has cosigned. */
export class WitnessedLogStore {
  constructor(private readonly database: Database) {}

  /** The verifier key of the witness over this store; `null` before its first start. */
  async readVerifierKey(): Promise<string | null> {
    const [row] = await this.database.plain.query<{ verifier_key: string }>(
      sql`SELECT verifier_key FROM witness_state WHERE id = 1`,
    );
    return row?.verifier_key ?? null;
  }

  /** Begins the witness, unless there is one. Resolves to the verifier key it has. */
  async create(verifierKey: string): Promise<string | null> {
    await this.database.plain.execute(
      sql`INSERT INTO witness_state (id, verifier_key) VALUES (1, ${verifierKey}) ON CONFLICT (id) DO NOTHING`,
    );
    return this.readVerifierKey();
  }

  /** What is read is durable: no power cut takes back what others have seen of it. */
  async read(origin: string): Promise<WitnessedLog> {
    const found = await select(this.database.plain, origin, NOTHING);
    await this.database.writeAheadLog?.sync();
    return found;
  }

  /** What is known of these logs; those never cosigned are left out. */
  async list(origins: readonly string[]): Promise<(WitnessedLog & { origin: string })[]> {
    const rows = await this.database.plain.query<LogColumns & { origin: string }>(
      sql`SELECT origin, ${COLUMNS} FROM witnessed_log WHERE origin IN (${listOf(origins)}) ORDER BY origin`,
    );
    return rows.map((row) => ({ origin: row.origin, ...logOf(row) }));
  }

  /**
   * Replaces what is known of a log by what `decide` makes of it, in one transaction that nobody else can have at the
   * same time; resolves to its result when that is durable.
   */
  async update<T>(origin: string, decide: (known: WitnessedLog) => Decision<T>): Promise<T> {
    const { plain, engine, writeAheadLog } = this.database;
    const result = await plain.transaction(async (runner) => {
      if (engine === 'postgresql') await prepare(runner, origin);
      const known = await select(runner, origin, engine === 'sqlite' ? NOTHING : HOLD);
      const decided = decide(known);
      if (decided.replacement !== null) await write(runner, origin, decided.replacement);
      return decided.result;
    });
    await writeAheadLog?.sync();
    return result;
  }

  /** Keeps the first checkpoint that contradicts the one we cosigned. Resolves to whether it was the first. */
  async keepConflict(origin: string, note: string, nowTs: number): Promise<boolean> {
    const changed = await this.database.plain.execute(
      sql`UPDATE witnessed_log SET conflict = ${note}, conflict_ts = ${BigInt(nowTs)}
        WHERE origin = ${origin} AND conflict IS NULL`,
    );
    return changed === 1;
  }
}

/** A row that can be held, and a commit that waits for its disk, whatever the server is set to. */
async function prepare(runner: SqlRunner, origin: string): Promise<void> {
  await runner.query(sql`SELECT set_config('synchronous_commit', 'on', true),
    set_config('lock_timeout', '5s', true), set_config('idle_in_transaction_session_timeout', '15s', true)`);
  const { root } = UNSEEN;
  await runner.write(
    sql`INSERT INTO witnessed_log (origin, size, root, checkpoint, cosigned_ts) VALUES (${origin}, 0, ${root}, '', 0)
      ON CONFLICT (origin) DO NOTHING`,
  );
}

async function select(runner: SqlRunner, origin: string, hold: Sql): Promise<WitnessedLog> {
  const [row] = await runner.query<LogColumns>(
    sql`SELECT ${COLUMNS} FROM witnessed_log WHERE origin = ${origin} ${hold}`,
  );
  return row === undefined ? UNSEEN : logOf(row);
}

function logOf(row: LogColumns): WitnessedLog {
  return {
    size: Number(row.size),
    root: Buffer.from(row.root),
    checkpoint: row.checkpoint,
    cosignedTs: Number(row.cosigned_ts),
    conflictTs: row.conflict_ts === null ? null : Number(row.conflict_ts),
  };
}

async function write(runner: SqlRunner, origin: string, log: WitnessedLog): Promise<void> {
  const { size, root, checkpoint, cosignedTs } = log;
  await runner.write(
    sql`INSERT INTO witnessed_log (origin, size, root, checkpoint, cosigned_ts)
      VALUES (${origin}, ${BigInt(size)}, ${root}, ${checkpoint}, ${BigInt(cosignedTs)})
      ON CONFLICT (origin) DO UPDATE SET size = excluded.size, root = excluded.root,
        checkpoint = excluded.checkpoint, cosigned_ts = excluded.cosigned_ts`,
  );
}
