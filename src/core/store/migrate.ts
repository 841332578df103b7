import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';

import { DriverAdapterError } from '@prisma/driver-adapter-utils';

import { connectionSettings } from '../base/connection-settings.js';
import { ApiError } from '../base/errors/api-error.js';
import type { Logger } from '../base/logger.js';
import type { DatabaseOptions } from './db.js';
import { migrationsFolder, readMigrations } from './migration-files.js';
import { openDriver, prepareSqliteFile } from './sqlite/driver.js';
import { toAdapterError } from './sqlite/sqlite-errors.js';
import { isStoreError, tellingStoreErrors } from './store-errors.js';

/**
 * Names of migrations, oldest first in each list. `unknown`: in the database but not, or not with this script, in this
 * program: another version made it.
 */
export type MigrationStatus = Awaited<ReturnType<typeof migrationStatus>>;

/** The list of migrations, as Prisma makes it. */
const TABLE = `CREATE TABLE IF NOT EXISTS _prisma_migrations (id VARCHAR(36) PRIMARY KEY NOT NULL,
  checksum VARCHAR(64) NOT NULL, finished_at TIMESTAMP, migration_name VARCHAR(255) NOT NULL, logs TEXT,
  rolled_back_at TIMESTAMP, started_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
  applied_steps_count INTEGER NOT NULL DEFAULT 0)`;
const HAS_TABLE = {
  sqlite: "SELECT 1 FROM sqlite_schema WHERE name = '_prisma_migrations'",
  postgresql: "SELECT 1 WHERE to_regclass('_prisma_migrations') IS NOT NULL",
} as const;
const LIST = `SELECT migration_name, checksum FROM _prisma_migrations
  WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ORDER BY started_at, migration_name`;

/**
 * Compares the database with this program by plain queries; changes nothing and makes no file. `folder` holds the
 * migrations and is a parameter for tests. Rejects with `storeUnavailable` when the database cannot be reached.
 */
export async function migrationStatus(
  options: DatabaseOptions,
  folder: string = migrationsFolder(options.engine),
) {
  const known = new Map(readMigrations(folder).map(({ name, checksum }) => [name, checksum]));
  const applied = await tellingStoreErrors(options, () => readApplied(options));
  const names = applied.map(({ name }) => name);
  return {
    applied: names,
    pending: [...known.keys()].filter((name) => !names.includes(name)),
    unknown: applied.filter(({ name, checksum }) => known.get(name) !== checksum).map(({ name }) => name),
  };
}

async function readApplied(options: DatabaseOptions): Promise<{ name: string; checksum: string }[]> {
  if (options.engine === 'sqlite' && !existsSync(options.path)) return [];
  const connection = await openPlain(options);
  try {
    if ((await connection.rows(HAS_TABLE[options.engine])).length === 0) return [];
    const rows = await connection.rows(LIST);
    return rows.map(([name, checksum]) => ({ name: String(name), checksum: String(checksum) }));
  } finally {
    await connection.close();
  }
}

/**
 * Brings the database to this program's state; with nothing to do it is one query. Other starters wait meanwhile.
 * Rejects with `storeUnavailable`, or with an `ApiError` whose reason is `database_damaged`, `database_other_version`
 * or `migration_failed`; each may be tried again.
 */
export async function migrate(
  options: DatabaseOptions,
  logger: Logger,
  folder: string = migrationsFolder(options.engine),
): Promise<{ applied: string[] }> {
  const status = await migrationStatus(options, folder);
  const refusal = refusalOf(status);
  if (refusal !== null) throw refusal;
  if (status.pending.length === 0) return { applied: [] };
  const applied = await tellingStoreErrors(options, async () => {
    if (options.engine === 'sqlite') prepareSqliteFile(options.path);
    return withDatabaseLock(options, (connection) => applyPending(connection, options.engine, folder));
  });
  logger.info({ applied }, 'database migrated');
  return { applied };
}

/** Applies what is missing, in the transaction of the lock; what fails changes nothing. */
async function applyPending(
  connection: PlainConnection,
  engine: DatabaseOptions['engine'],
  folder: string,
): Promise<string[]> {
  try {
    await connection.run(TABLE);
    const applied = (await connection.rows(LIST)).map(([name]) => name);
    const pending = readMigrations(folder).filter(({ name }) => !applied.includes(name));
    for (const { name, script, checksum } of pending) {
      await connection.run(script);
      await connection.run(`INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at,
        applied_steps_count) VALUES ('${randomUUID()}', '${checksum}', '${name}', CURRENT_TIMESTAMP, 1)`);
    }
    const broken = engine === 'sqlite' ? await connection.rows('PRAGMA foreign_key_check') : [];
    if (broken.length > 0) throw new Error(`It breaks a foreign key of table ${String(broken[0]?.[0])}`);
    return pending.map(({ name }) => name);
  } catch (error) {
    if (isStoreError(error)) throw error;
    const { cause } = error instanceof DriverAdapterError ? error : { cause: null };
    const detail = cause?.originalMessage ?? (error instanceof Error ? error.message : String(error));
    throw new ApiError(500, `Migrating the database failed: ${detail}`, { reason: 'migration_failed' });
  }
}

/** Why a database of this state cannot be brought to this program's: `database_other_version` or `null`. */
export function refusalOf({ unknown }: MigrationStatus): ApiError | null {
  if (unknown.length === 0) return null;
  const message =
    `This database was made by another version of the program, with migrations this version does not have: ${unknown.join(', ')}. ` +
    'Start with an empty database, or run the version that made this one. Nothing in the database was changed.';
  return new ApiError(500, message, { reason: 'database_other_version' });
}

/** One connection without Prisma, for what comes before its client. */
interface PlainConnection {
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
async function openPlain(options: DatabaseOptions): Promise<PlainConnection> {
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
