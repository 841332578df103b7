import { setTimeout as sleep } from 'node:timers/promises';

import type { Client } from 'pg';

import { ApiError } from '../../base/errors/api-error.js';
import { connectionSettings } from '../connection-settings.js';
import type { DatabaseOptions } from '../db.js';
import { loadSqliteDriver, type DriverConstructor, type DriverDatabase } from '../sqlite/driver.js';
import { isBusy, toAdapterError } from '../sqlite/sqlite-errors.js';
import { prepareSqliteFile } from '../sqlite/file.js';

/** How long a starter waits for another one's migrations. */
const MAX_WAIT_MS = 120_000;
const PAUSE_MS = 50;
/** Any number that nobody else uses on this server: "vidimus" in ASCII. */
const ADVISORY_LOCK = 0x76_69_64_69_6d_75_73n;

/**
 * Runs `work` while no other starter, in this process or another, migrates the same database. The lock dies
 * with the process that holds it. Throws `ApiError` (`migration_locked`) after two minutes of waiting.
 */
export async function withMigrationLock<T>(options: DatabaseOptions, work: () => Promise<T>): Promise<T> {
  return options.engine === 'sqlite' ? lockSqlite(options.path, work) : lockPostgresql(options.url, work);
}

/** An exclusive transaction on a side file: the database itself must stay free for the schema engine. */
async function lockSqlite<T>(path: string, work: () => Promise<T>): Promise<T> {
  const lockPath = `${path}-migrate-lock`;
  prepareSqliteFile(lockPath);
  const driver = await loadSqliteDriver();
  const database = openLock(driver, lockPath);
  try {
    const deadlineMs = performance.now() + MAX_WAIT_MS;
    while (!tryToBegin(() => database.exec('BEGIN EXCLUSIVE'))) {
      if (performance.now() > deadlineMs) throw lockedForTooLong();
      await sleep(PAUSE_MS);
    }
    return await work();
  } finally {
    if (database.isTransaction) database.exec('ROLLBACK');
    database.close();
  }
}

function openLock(driver: DriverConstructor, lockPath: string): DriverDatabase {
  try {
    return new driver(lockPath, { timeout: 0 });
  } catch (error) {
    throw toAdapterError(error);
  }
}

function tryToBegin(begin: () => void): boolean {
  try {
    begin();
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw toAdapterError(error);
  }
}

async function lockPostgresql<T>(url: string, work: () => Promise<T>): Promise<T> {
  const { Client } = await import('pg');
  const client = new Client(connectionSettings(url));
  let lost: Error | null = null;
  client.on('error', (error) => {
    lost = error;
  });
  await client.connect();
  try {
    const deadlineMs = performance.now() + MAX_WAIT_MS;
    while (!(await tryToLock(client))) {
      if (performance.now() > deadlineMs) throw lockedForTooLong();
      await sleep(PAUSE_MS);
    }
    return await work();
  } finally {
    if (lost === null) await client.end();
  }
}

/**
 * Held by a transaction, which keeps a connection that a pooler has lent; who waits holds none, which the one who works
 * may need.
 */
async function tryToLock(client: Client): Promise<boolean> {
  await client.query('BEGIN');
  // A role may have one, and it would give our turn away while another connection migrates.
  await client.query('SET LOCAL idle_in_transaction_session_timeout = 0');
  const { rows } = await client.query<{ locked: boolean }>(
    `SELECT pg_try_advisory_xact_lock(${ADVISORY_LOCK}) AS locked`,
  );
  if (rows[0]?.locked === true) return true;
  await client.query('ROLLBACK');
  return false;
}

const lockedForTooLong = (): ApiError =>
  new ApiError(500, 'Another process has been migrating this database for two minutes', {
    reason: 'migration_locked',
  });
