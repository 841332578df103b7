import { ApiError } from '../base/errors/api-error.js';
import type { Logger } from '../base/logger.js';
import type { DatabaseOptions } from './db.js';
import { migrationNames, migrationsFolder } from './migration/files.js';
import { withMigrationLock } from './migration/lock.js';
import { runInOwnProcess } from './migration/process.js';
import { readMigrationRows } from './migration/rows.js';
import { tellingStoreErrors } from './store-error-causes.js';

/** Names of migrations, oldest first in each list. */
export interface MigrationStatus {
  applied: string[];
  pending: string[];
  /** In the database but not in this program: a newer program made it. */
  unknown: string[];
  /** A copy or a backup is being brought into it, or was and did not finish. */
  isBeingFilled: boolean;
}

/**
 * Compares the database with this program by plain queries; changes nothing and makes no file. `folder`
 * holds the migrations and is a parameter for tests.
 * Rejects with `storeUnavailable` when the database cannot be reached.
 */
export async function migrationStatus(
  options: DatabaseOptions,
  folder: string = migrationsFolder(options.engine),
): Promise<MigrationStatus> {
  const known = migrationNames(folder);
  const rows = await tellingStoreErrors(options, () => readMigrationRows(options));
  const applied = rows.filter(({ state }) => state === 'applied').map((row) => row.name);
  return {
    applied,
    pending: known.filter((name) => !applied.includes(name)),
    unknown: [...new Set(applied)].filter((name) => !known.includes(name)),
    isBeingFilled: rows.some(({ state }) => state === 'filling'),
  };
}

/**
 * Brings the database to this program's state. With nothing to do it is one query; else the schema engine
 * runs in a process of its own, while other starters wait. A SQLite file with content is copied first, to
 * `<file>.before-<first migration that it lacks>`. Rejects with `storeUnavailable`, or with an `ApiError` whose reason
 * is `database_damaged`, `database_newer`, `copy_unfinished`, `migration_locked` or `migration_failed`; each may be tried again.
 */
export async function migrate(
  options: DatabaseOptions,
  logger: Logger,
  folder: string = migrationsFolder(options.engine),
): Promise<{ applied: string[] }> {
  const before = await migrationStatus(options, folder);
  const refusal = before.unknown.length === 0 ? null : refusalOf(before);
  if (refusal !== null) throw refusal;
  if (before.pending.length === 0 && !before.isBeingFilled) return { applied: [] };
  return tellingStoreErrors(options, () =>
    withMigrationLock(options, () => applyPending(options, logger, folder)),
  );
}

/** While nobody else migrates; another starter may have done it all by now. */
async function applyPending(
  options: DatabaseOptions,
  logger: Logger,
  folder: string,
): Promise<{ applied: string[] }> {
  const status = await migrationStatus(options, folder);
  const refusal = refusalOf(status);
  if (refusal !== null) throw refusal;
  const [first] = status.pending;
  if (first === undefined) return { applied: [] };
  const copyPath =
    options.engine === 'sqlite' && status.applied.length > 0 ? `${options.path}.before-${first}` : null;
  if (copyPath !== null) logger.info({ copyPath }, 'copying the database before its migration');
  const applied = await runInOwnProcess({ options, folder, copyPath });
  logger.info({ applied }, 'database migrated');
  return { applied };
}

/** Why a database of this state cannot be brought to this program's: `database_newer`, `copy_unfinished` or `null`. */
export function refusalOf({ unknown, isBeingFilled }: MigrationStatus): ApiError | null {
  if (unknown.length > 0) {
    const message = `This database was made by a newer version of the program, which also applied ${unknown.join(', ')}; install that version or put back an older copy of the database`;
    return new ApiError(500, message, { reason: 'database_newer' });
  }
  if (!isBeingFilled) return null;
  const message =
    'This database is not whole: a copy or a backup began to be brought into it and did not finish; run the same ' +
    'command again, or name an empty database';
  return new ApiError(500, message, { reason: 'copy_unfinished' });
}
