import { ApiError } from '../base/errors/api-error.js';
import type { Logger } from '../base/logger.js';
import type { DatabaseOptions } from './db.js';
import { applyMigrations } from './migration/apply.js';
import { migrationsFolder, readMigrations } from './migration/files.js';
import { readMigrationRows } from './migration/rows.js';
import { tellingStoreErrors } from './store-errors.js';

/** Names of migrations, oldest first in each list. */
export interface MigrationStatus {
  applied: string[];
  pending: string[];
  /** In the database but not, or not with this script, in this program: another version made it. */
  unknown: string[];
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
  const known = new Map(readMigrations(folder).map(({ name, checksum }) => [name, checksum]));
  const applied = await tellingStoreErrors(options, () => readMigrationRows(options));
  const names = applied.map((row) => row.name);
  return {
    applied: names,
    pending: [...known.keys()].filter((name) => !names.includes(name)),
    unknown: applied.filter((row) => known.get(row.name) !== row.checksum).map((row) => row.name),
  };
}

/**
 * Brings the database to this program's state; with nothing to do it is one query. Other starters wait meanwhile.
 * Rejects with `storeUnavailable`, or with an `ApiError` whose reason is `database_damaged`,
 * `database_other_version`, `migration_locked` or `migration_failed`; each may be tried again.
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
  const applied = await tellingStoreErrors(options, () => applyMigrations(options, folder));
  logger.info({ applied }, 'database migrated');
  return { applied };
}

/** Why a database of this state cannot be brought to this program's: `database_other_version` or `null`. */
export function refusalOf({ unknown }: MigrationStatus): ApiError | null {
  if (unknown.length === 0) return null;
  const message =
    `This database was made by another version of the program, with migrations this version does not have: ${unknown.join(', ')}. ` +
    'Start with an empty database, or run the version that made this one. Nothing in the database was changed.';
  return new ApiError(500, message, { reason: 'database_other_version' });
}
