import { randomUUID } from 'node:crypto';

import { ApiError } from '../../base/errors/api-error.js';
import { connectionSettings } from '../connection-settings.js';
import type { DatabaseOptions } from '../db.js';
import { SqliteConnection } from '../sqlite/connection.js';
import { loadSqliteDriver, prepareSqliteFile } from '../sqlite/driver.js';
import { isBusy, toAdapterError } from '../sqlite/sqlite-errors.js';
import { isStoreError } from '../store-errors.js';
import { readMigrations } from './files.js';
import { untilTaken, withDatabaseLock } from './lock.js';

/** As Prisma makes it. */
const TABLE: Readonly<Record<DatabaseOptions['engine'], string>> = {
  sqlite: `CREATE TABLE IF NOT EXISTS _prisma_migrations (id TEXT PRIMARY KEY NOT NULL, checksum TEXT NOT NULL,
    finished_at DATETIME, migration_name TEXT NOT NULL, logs TEXT, rolled_back_at DATETIME,
    started_at DATETIME NOT NULL DEFAULT current_timestamp, applied_steps_count INTEGER UNSIGNED NOT NULL DEFAULT 0)`,
  postgresql: `CREATE TABLE IF NOT EXISTS _prisma_migrations (id VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum VARCHAR(64) NOT NULL, finished_at TIMESTAMPTZ, migration_name VARCHAR(255) NOT NULL, logs TEXT,
    rolled_back_at TIMESTAMPTZ, started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count INTEGER NOT NULL DEFAULT 0)`,
};
const APPLIED = 'SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL';
const INSERT = `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)`;

/** Statements on one connection. */
interface Connection {
  /** Runs one or several statements. */
  run(script: string): Promise<void>;
  appliedNames(): Promise<string[]>;
}

/**
 * Applies what is missing, in one transaction, while other starters wait. Resolves to the names applied. Rejects with
 * 500 `migration_failed` or `migration_locked`, and with errors of the store; then nothing was changed.
 */
export async function applyMigrations(options: DatabaseOptions, folder: string): Promise<string[]> {
  if (options.engine === 'sqlite') return applySqlite(options.path, folder);
  return withDatabaseLock(options.url, () => applyPostgresql(options.url, folder));
}

async function applyAll(
  connection: Connection,
  { engine, folder }: { engine: DatabaseOptions['engine']; folder: string },
): Promise<string[]> {
  await connection.run(TABLE[engine]);
  const applied = await connection.appliedNames();
  const pending = readMigrations(folder).filter(({ name }) => !applied.includes(name));
  for (const { name, script, checksum } of pending) {
    await connection.run(script);
    await connection.run(
      `${INSERT} VALUES ('${randomUUID()}', '${checksum}', '${name}', CURRENT_TIMESTAMP, 1)`,
    );
  }
  return pending.map(({ name }) => name);
}

async function applySqlite(path: string, folder: string): Promise<string[]> {
  prepareSqliteFile(path);
  try {
    const connection = await untilTaken(async () => beginSqlite(path));
    try {
      return await inSqlite(connection, folder);
    } finally {
      connection.close();
    }
  } catch (error) {
    throw error instanceof ApiError ? error : failure(toAdapterError(error), error);
  }
}

/** A connection in a transaction that writes; `null` while another process writes. */
function beginSqlite(path: string): SqliteConnection | null {
  const pragmas = ['journal_mode = WAL', 'foreign_keys = OFF', 'synchronous = FULL'];
  let connection: SqliteConnection | null = null;
  try {
    connection = new SqliteConnection(loadSqliteDriver(), { path, timeoutMs: 0, pragmas });
    connection.exec('BEGIN IMMEDIATE');
    return connection;
  } catch (error) {
    connection?.close();
    if (isBusy(error)) return null;
    throw error;
  }
}

async function inSqlite(connection: SqliteConnection, folder: string): Promise<string[]> {
  try {
    const run = async (script: string): Promise<void> => connection.exec(script);
    const appliedNames = async (): Promise<string[]> =>
      connection
        .prepare(APPLIED)
        .statement.all()
        .map(([name]) => String(name));
    const applied = await applyAll({ run, appliedNames }, { engine: 'sqlite', folder });
    const [broken] = connection.prepare('PRAGMA foreign_key_check').statement.all();
    if (broken !== undefined) throw failed(`It breaks a foreign key of table ${String(broken[0])}`);
    connection.exec('COMMIT');
    return applied;
  } finally {
    if (connection.isTransaction) connection.exec('ROLLBACK');
  }
}

async function applyPostgresql(url: string, folder: string): Promise<string[]> {
  const { Client } = await import('pg');
  const client = new Client(connectionSettings(url));
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('BEGIN; SET LOCAL statement_timeout = 0');
    const run = async (script: string): Promise<void> => void (await client.query(script));
    const appliedNames = async (): Promise<string[]> =>
      (await client.query<{ migration_name: string }>(APPLIED)).rows.map((row) => row.migration_name);
    const applied = await applyAll({ run, appliedNames }, { engine: 'postgresql', folder });
    await client.query('COMMIT');
    return applied;
  } catch (error) {
    throw failure(error, error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The error itself where the store cannot do its work, else a failed migration. */
function failure(error: unknown, original: unknown): unknown {
  if (isStoreError(error)) return error;
  return failed(original instanceof Error ? original.message : String(original));
}

function failed(detail: string): ApiError {
  return new ApiError(500, `Migrating the database failed: ${detail}`, { reason: 'migration_failed' });
}
