import { connectionSettings } from '../../base/connection-settings.js';
import type { DatabaseOptions } from '../db.js';
import { openDriver } from '../sqlite/driver.js';
import { toAdapterError } from '../sqlite/sqlite-errors.js';

/** One connection without Prisma, for what comes before its client. */
export interface PlainConnection {
  /** Runs one or several statements. */
  run(script: string): Promise<void>;
  rows(query: string): Promise<unknown[][]>;
  close(): Promise<void>;
}

/** How long a starter waits for another one on PostgreSQL. */
const MAX_WAIT_MS = 120_000;
/** On SQLite the process stands still meanwhile. */
const BUSY_TIMEOUT_MS = 5000;
/** An arbitrary number that only we use. */
const ADVISORY_LOCK = "x'766964696d7573'::bigint";

/** Rejects with errors for which `isStoreError` holds when the database cannot be used. */
export async function openPlain(options: DatabaseOptions): Promise<PlainConnection> {
  return options.engine === 'sqlite' ? openSqlite(options.path) : openPostgresql(options.url);
}

/**
 * Runs `work` in a transaction while no other starter is in one; it is committed when `work` resolves. Rejects as an
 * unavailable store after two minutes, on SQLite after five seconds. The lock belongs to the transaction, so that it holds behind a pooler and ends
 * with the connection.
 */
export async function withDatabaseLock<T>(
  options: DatabaseOptions,
  work: (connection: PlainConnection) => Promise<T>,
): Promise<T> {
  const connection = await openPlain(options);
  try {
    if (options.engine === 'sqlite')
      await connection.run(`PRAGMA journal_mode = WAL; PRAGMA foreign_keys = OFF; PRAGMA synchronous = FULL;
        BEGIN IMMEDIATE`);
    // The role may have time limits, which would end the lock or the migration, and another isolation, which would hide
    // what was migrated during the wait.
    else
      await connection.run(`BEGIN ISOLATION LEVEL READ COMMITTED;
        SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL statement_timeout = 0;
        SET LOCAL lock_timeout = ${MAX_WAIT_MS}; SELECT pg_advisory_xact_lock(${ADVISORY_LOCK})`);
    const result = await work(connection);
    await connection.run('COMMIT');
    // With prepared statements left, the driver closes the file late: its log is emptied before that.
    if (options.engine === 'sqlite')
      await connection.run('PRAGMA wal_checkpoint(TRUNCATE)').catch(() => undefined);
    return result;
  } catch (error) {
    // Nor does its lock end with it.
    await connection.run('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    await connection.close();
  }
}

function openSqlite(path: string): PlainConnection {
  const mapped = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw toAdapterError(error);
    }
  };
  const database = mapped(() => openDriver(path, BUSY_TIMEOUT_MS));
  return {
    run: async (script) => mapped(() => database.exec(script)),
    rows: async (query) =>
      mapped(() => {
        const statement = database.prepare(query);
        statement.setReturnArrays(true);
        return statement.all();
      }),
    close: async () => database.close(),
  };
}

async function openPostgresql(url: string): Promise<PlainConnection> {
  const { Client } = await import('pg');
  const client = new Client(connectionSettings(url));
  client.on('error', () => undefined);
  await client.connect();
  return {
    run: async (script) => void (await client.query(script)),
    rows: async (text) => (await client.query<unknown[]>({ text, rowMode: 'array' })).rows,
    close: () => client.end().catch(() => undefined),
  };
}
