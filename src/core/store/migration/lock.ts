import { setTimeout as sleep } from 'node:timers/promises';

import { ApiError } from '../../base/errors/api-error.js';
import type { DatabaseOptions } from '../db.js';
import { loadSqliteDriver, type DriverConstructor, type DriverDatabase } from '../sqlite/driver.js';
import { isBusy, toAdapterError } from '../sqlite/sqlite-errors.js';
import { prepareSqliteFile } from '../sqlite/file.js';
import type { MigrationTurn } from './turn.js';

/** How long a starter waits for another one's migrations. */
const MAX_WAIT_MS = 120_000;
const PAUSE_MS = 50;

/**
 * Runs `work` while no other starter, in this process or another, migrates the same database. The turn ends with the
 * process that has it, at once or, as a lease, seconds later. Throws `ApiError` (`migration_locked`) after two minutes
 * of waiting.
 */
export async function withMigrationLock<T>(options: DatabaseOptions, work: () => Promise<T>): Promise<T> {
  const turn = await openTurn(options);
  try {
    const deadlineMs = performance.now() + MAX_WAIT_MS;
    while (!(await turn.tryToTake())) {
      if (performance.now() > deadlineMs) throw lockedForTooLong();
      await sleep(PAUSE_MS);
    }
    return await work();
  } finally {
    await turn.end();
  }
}

async function openTurn(options: DatabaseOptions): Promise<MigrationTurn> {
  if (options.engine === 'sqlite') return sqliteTurn(options.path);
  const { advisoryTurn, leasedTurn } = await import('./postgresql-turns.js');
  return options.advisoryLocks === false ? leasedTurn(options.url) : advisoryTurn(options.url);
}

/** An exclusive transaction on a side file: the database itself must stay free for the schema engine. */
async function sqliteTurn(path: string): Promise<MigrationTurn> {
  const lockPath = `${path}-migrate-lock`;
  prepareSqliteFile(lockPath);
  const database = openLock(loadSqliteDriver(), lockPath);
  return {
    tryToTake: async () => tryToBegin(() => database.exec('BEGIN EXCLUSIVE')),
    end: async () => {
      if (database.isTransaction) database.exec('ROLLBACK');
      database.close();
    },
  };
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

const lockedForTooLong = (): ApiError =>
  new ApiError(500, 'Another process has been migrating this database for two minutes', {
    reason: 'migration_locked',
  });
