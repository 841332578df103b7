import { databaseOptionsOf } from '../composition/database-options.js';
import { openDatabase } from '../core/store/db.js';
import type { Database } from '../core/store/db.js';
import { migrationStatus } from '../core/store/migrate.js';
import type { MigrationStatus } from '../core/store/migrate.js';
import { createLogger } from '../core/base/logger.js';
import { requireConfig } from './configuration.js';
import type { ConfigOption } from './configuration.js';
import { CommandFailure } from './exit.js';

/** How a database stands to this program. */
export type StoreState = 'current' | 'pending' | 'newer' | 'unfinished';

/** Sums a status up; what is worse wins. */
export function storeState({ unknown, failed, pending }: MigrationStatus): StoreState {
  if (unknown.length > 0) return 'newer';
  if (failed.length > 0) return 'unfinished';
  return pending.length > 0 ? 'pending' : 'current';
}

const REFUSALS: Record<Exclude<StoreState, 'current'>, string> = {
  pending:
    'The database lacks migrations of this version. Start the server once, or run "vidimus db migrate".',
  newer: 'The database was made by a newer version of this program. Install that version.',
  unfinished: 'A migration of the database began and did not finish. "vidimus db migrate" says what to do.',
};

/** Runs work on the configured database, which has to be in the state of this program, and closes it. */
export async function withDatabase<T>(
  option: ConfigOption,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const options = databaseOptionsOf(requireConfig(option));
  const state = storeState(await migrationStatus(options));
  if (state !== 'current') throw new CommandFailure(REFUSALS[state]);
  const database = await openDatabase(options, createLogger({ level: 'silent' }));
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
