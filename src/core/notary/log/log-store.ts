import type { Database } from '../../store/db.js';
import type { SqlRunner } from '../../store/sql/plain-sql.js';
import { rawSql, sql, type Sql } from '../../store/sql/sql.js';

/** The log as it was last signed, and what waits for it. */
export interface LogState {
  verifierKey: string;
  size: number;
  /** The signed note. */
  checkpoint: string;
  /** When it was signed, POSIX ms. */
  signedTs: number;
  /** Row of key_record up to which all have been entered. */
  checkedId: number;
  /** When the first of what waits was queued, POSIX ms; `null`: nothing waits. */
  oldestTs: number | null;
  /** The last checkpoint that enough witnesses have cosigned, with their lines; `null`: none yet. */
  witnessed: { size: number; note: string } | null;
}

/** An entry with its place. */
export interface StoredEntry {
  seq: number;
  entry: Buffer;
}

interface StateColumns {
  verifier_key: string;
  size: number;
  checkpoint: string;
  signed_ts: number | string;
  checked_id: number;
  oldest_ts: number | string | null;
  witnessed: string | null;
  witnessed_size: number;
}

const COLUMNS = rawSql(`verifier_key, size, checkpoint, signed_ts, checked_id, witnessed, witnessed_size,
  (SELECT queued_ts FROM log_queue ORDER BY id LIMIT 1) AS oldest_ts`);
const NOTHING = rawSql('');
/** Whoever finds the row held leaves the turn to the holder. */
const HOLD = rawSql('FOR UPDATE SKIP LOCKED');

/** Rows of the log, as they are read. */
export class LogStore {
  constructor(private readonly database: Database) {}

  /** `null` before the first start with a log. */
  readState(): Promise<LogState | null> {
    return selectState(this.database.plain, NOTHING);
  }

  /** Begins the log, unless there is one. */
  async create(verifierKey: string, checkpoint: string, nowTs: number): Promise<void> {
    await this.database.plain
      .execute(sql`INSERT INTO log_state (id, verifier_key, size, checkpoint, signed_ts)
      VALUES (1, ${verifierKey}, 0, ${checkpoint}, ${BigInt(nowTs)}) ON CONFLICT (id) DO NOTHING`);
  }

  /** How many entries wait, `most` at most. */
  async countWaiting(most: number): Promise<number> {
    const [row] = await this.database.plain.query<{ waiting: number | string }>(
      sql`SELECT COUNT(*) AS waiting FROM (SELECT id FROM log_queue LIMIT ${most}) AS queued`,
    );
    return Number(row?.waiting ?? 0);
  }

  /** Hashes of a tile as far as it has grown; `null`: there is none. */
  readTile(level: number, n: number): Promise<Buffer | null> {
    return readTile(this.database.plain, level, n);
  }

  /** Entries in order; fewer where the log ends. */
  async readEntries(from: number, count: number): Promise<Buffer[]> {
    const rows = await this.database.plain.query<{ entry: Uint8Array }>(
      sql`SELECT entry FROM log_entry WHERE seq >= ${from} AND seq < ${from + count} ORDER BY seq`,
    );
    return rows.map(({ entry }) => asBuffer(entry));
  }

  /** How long entries are together; both engines know without reading them. */
  async entryBytes(from: number, count: number): Promise<number> {
    const [row] = await this.database.plain.query<{ bytes: number | string }>(
      sql`SELECT COALESCE(SUM(LENGTH(entry)), 0) AS bytes FROM log_entry WHERE seq >= ${from} AND seq < ${from + count}`,
    );
    return Number(row?.bytes ?? 0);
  }

  /** SHA-256 (hex) of a stored record; `null`: it has been deleted. */
  async findRecordHash(recordId: number): Promise<string | null> {
    const [row] = await this.database.plain.query<{ sha256: string }>(
      sql`SELECT sha256 FROM key_record WHERE id = ${recordId}`,
    );
    return row?.sha256 ?? null;
  }

  /** The latest entry about a record in a log of `size` entries. */
  async findEntry(recordSha256: Buffer, size: number): Promise<StoredEntry | null> {
    const [row] = await this.database.plain.query<{ seq: number; entry: Uint8Array }>(
      sql`SELECT seq, entry FROM log_entry WHERE record_sha256 = ${recordSha256} AND seq < ${size}
        ORDER BY seq DESC LIMIT 1`,
    );
    return row === undefined ? null : { seq: row.seq, entry: asBuffer(row.entry) };
  }

  /** SHA-256 (hex) of the newest record that lists the key ID. */
  async findRecordOfKey(serverName: string, keyId: string): Promise<string | null> {
    const [row] = await this.database.plain.query<{ sha256: string }>(
      sql`SELECT r.sha256 FROM verify_key k JOIN key_record r ON r.id = k.record_id
        WHERE k.server_name = ${serverName} AND k.key_id = ${keyId}`,
    );
    return row?.sha256 ?? null;
  }

  /** A record as published; `null` when it has been deleted. */
  async findRecord(serverName: string, sha256: string): Promise<Buffer | null> {
    const [row] = await this.database.plain.query<{ published: Uint8Array }>(
      sql`SELECT published FROM key_record WHERE server_name = ${serverName} AND sha256 = ${sha256}`,
    );
    return row === undefined ? null : asBuffer(row.published);
  }
}

/** Takes the log's turn until the transaction ends. `null`: another instance has it. */
export async function holdLog(runner: SqlRunner, engine: Database['engine']): Promise<LogState | null> {
  // On SQLite a transaction has the write lock.
  if (engine === 'sqlite') return selectState(runner, NOTHING);
  // A checkpoint must not be seen before it is durable; an instance that hangs must not hold up the others for good.
  await runner.query(sql`SELECT set_config('synchronous_commit', 'on', true),
    set_config('idle_in_transaction_session_timeout', '15s', true)`);
  return selectState(runner, HOLD);
}

/** The same as `LogStore.readTile`, inside the caller's transaction. */
export async function readTile(runner: SqlRunner, level: number, n: number): Promise<Buffer | null> {
  const [row] = await runner.query<{ hashes: Uint8Array }>(
    sql`SELECT hashes FROM log_tile WHERE level = ${level} AND n = ${n}`,
  );
  return row === undefined ? null : asBuffer(row.hashes);
}

async function selectState(runner: SqlRunner, hold: Sql): Promise<LogState | null> {
  const [row] = await runner.query<StateColumns>(sql`SELECT ${COLUMNS} FROM log_state WHERE id = 1 ${hold}`);
  if (row === undefined) return null;
  return {
    verifierKey: row.verifier_key,
    size: row.size,
    checkpoint: row.checkpoint,
    signedTs: Number(row.signed_ts),
    checkedId: row.checked_id,
    oldestTs: row.oldest_ts === null ? null : Number(row.oldest_ts),
    witnessed: row.witnessed === null ? null : { size: row.witnessed_size, note: row.witnessed },
  };
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
