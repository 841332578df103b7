import { existsSync } from 'node:fs';
import { connectionSettings } from '../connection-settings.js';
import type { DatabaseOptions } from '../db.js';
import { loadSqliteDriver, type DriverDatabase, type SqliteValue } from '../sqlite/driver.js';
import { toAdapterError } from '../sqlite/sqlite-errors.js';

/** A migration that was applied, in the database's own list (`_prisma_migrations`). */
export interface MigrationRow {
  name: string;
  /** SHA-256 of its script, as Prisma keeps it. */
  checksum: string;
}

const BUSY_TIMEOUT_MS = 5000;

const LIST =
  'SELECT migration_name, checksum FROM _prisma_migrations ' +
  'WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ORDER BY started_at, migration_name';

/**
 * What the list says, oldest first; empty for a new database. A missing SQLite file is
 * not made. Rejects with errors for which `isStoreUnavailable` holds when the database cannot be reached.
 */
export async function readMigrationRows(options: DatabaseOptions): Promise<MigrationRow[]> {
  const rows =
    options.engine === 'sqlite' ? await readSqlite(options.path) : await readPostgresql(options.url);
  return rows.map(([name, checksum]) => ({ name: String(name), checksum: String(checksum) }));
}

async function readSqlite(path: string): Promise<SqliteValue[][]> {
  if (!existsSync(path)) return [];
  const driver = loadSqliteDriver();
  try {
    return listSqlite(new driver(path, { timeout: BUSY_TIMEOUT_MS }));
  } catch (error) {
    throw toAdapterError(error);
  }
}

function listSqlite(database: DriverDatabase): SqliteValue[][] {
  try {
    const table = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = '_prisma_migrations'");
    if (table.all().length === 0) return [];
    const list = database.prepare(LIST);
    list.setReturnArrays(true);
    return list.all();
  } finally {
    database.close();
  }
}

async function readPostgresql(url: string): Promise<unknown[][]> {
  const { Client } = await import('pg');
  const client = new Client(connectionSettings(url));
  await client.connect();
  try {
    const table = await client.query("SELECT to_regclass('_prisma_migrations') IS NOT NULL AS present");
    if (table.rows[0].present !== true) return [];
    return (await client.query({ text: LIST, rowMode: 'array' })).rows;
  } finally {
    await client.end();
  }
}
