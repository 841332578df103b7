import type { Access } from '../composition/access.js';
import { databaseOptionsOf } from '../composition/parts.js';
import type { CommandServices } from '../composition/services.js';
import { systemClock } from '../core/base/clock.js';
import { openDatabase, type Database, type DatabaseOptions } from '../core/store/db.js';
import { locationOf, tellingStoreErrors } from '../core/store/store-errors.js';
import { migrationStatus, type MigrationStatus } from '../core/store/migrate.js';
import { createLogger } from '../core/base/logger.js';
import { requireConfig, type ConfigOption, type UsableConfig } from './configuration.js';
import { CommandError } from './exit.js';

/** How a database stands to this program. */
export type StoreState = 'current' | 'pending' | 'other_version';

/** Sums a status up; what is worse wins. */
export function storeState({ unknown, pending }: MigrationStatus): StoreState {
  if (unknown.length > 0) return 'other_version';
  return pending.length > 0 ? 'pending' : 'current';
}

/** What to do about each that is not fit to be worked on. */
export const STORE_REFUSALS: Record<Exclude<StoreState, 'current'>, string> = {
  pending:
    'The database lacks migrations of this version. Start the server once, or run "vidimus db migrate".',
  other_version:
    'The database was made by another version of this program. Start with an empty database, or run that version.',
};

/** For what needs one that has been made. */
export function noDatabaseYet(options: DatabaseOptions): CommandError {
  return new CommandError(
    `There is no database yet: ${locationOf(options)}. Start the server once, or run "vidimus db migrate"; where there is one elsewhere, correct the section "database" of the configuration.`,
  );
}

/** Runs work with tokens, sign-in codes and the audit table of the configured database. */
export function withAccess<T>(option: ConfigOption, work: (access: Access) => Promise<T>): Promise<T> {
  return withDatabase(option, async ({ config }, database) => {
    const { createAccess } = await import('../composition/access.js');
    const logger = createLogger({ level: 'silent' });
    return work(createAccess(config, { database, clock: systemClock, logger }));
  });
}

/** Runs work with jobs, keys, previews and media of the configured database, beside a server that may be running. */
export function withServices<T>(
  option: ConfigOption,
  work: (services: CommandServices) => Promise<T>,
): Promise<T> {
  return withDatabase(option, async (loaded, database) => {
    // The other commands start in a fraction of the time without it.
    const { withCommandServices } = await import('../composition/services.js');
    return withCommandServices(loaded, database, work);
  });
}

/** Runs work on a database, which has to be in the state of this program, and closes it. */
export async function withDatabase<T>(
  option: ConfigOption,
  work: (loaded: UsableConfig, database: Database) => Promise<T>,
): Promise<T> {
  const loaded = requireConfig(option);
  const options = databaseOptionsOf(loaded);
  const status = await migrationStatus(options);
  const state = storeState(status);
  if (status.applied.length === 0 && state === 'pending') throw noDatabaseYet(options);
  if (state !== 'current') throw new CommandError(STORE_REFUSALS[state]);
  const database = await openDatabase(options, createLogger({ level: 'silent' }));
  try {
    return await tellingStoreErrors(options, () => work(loaded, database));
  } finally {
    await database.close();
  }
}
