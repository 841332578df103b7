import { databaseOptionsOf } from '../composition/parts.js';
import {
  checkLogKey,
  readKeyFiles,
  type StartProblem,
  whyDatabaseCannotBeWritten,
} from '../composition/start/key-files.js';
import { checkStoredIdentity } from '../composition/start/start-checks.js';
import { systemClock } from '../core/base/clock.js';
import { createLogger } from '../core/base/logger.js';
import { openDatabase, type Database, type DatabaseOptions } from '../core/store/db.js';
import { migrationStatus, refusalOf } from '../core/store/migrate.js';
import { isStoreError, mayComeBack } from '../core/store/store-errors.js';
import type { UsableConfig } from './configuration.js';
import { describeError } from './errors.js';

/** What key files and database say against a start, beyond the text of the configuration. Changes nothing. */
export async function checkStart(loaded: UsableConfig): Promise<StartProblem[]> {
  const options = databaseOptionsOf(loaded);
  const unwritable = await checkWritable(options);
  if (unwritable.length > 0) return [...unwritable, ...(await checkKeys(loaded, null))];
  try {
    const status = await migrationStatus(options);
    const refusal = refusalOf(status);
    if (refusal !== null) return [{ setting: 'database', message: refusal.message, isError: true }];
    // What cannot be read before it is migrated, the start checks.
    if (status.applied.length === 0 || status.pending.length > 0) return await checkKeys(loaded, null);
    const database = await openDatabase(options, createLogger({ level: 'silent' }));
    try {
      return await checkKeys(loaded, database);
    } finally {
      await database.close();
    }
  } catch (error) {
    // A start waits for a database that may come back.
    const isError = !isStoreError(error) || !mayComeBack(error, options);
    const away = { setting: 'database', message: describeError(error).message ?? '', isError };
    return [away, ...(await checkKeys(loaded, null))];
  }
}

/** What is wrong with the key files, or with them and the name on this database. */
export async function checkKeys(
  { config }: Pick<UsableConfig, 'config'>,
  database: Database | null,
): Promise<StartProblem[]> {
  const { keys, problems } = await readKeyFiles(config);
  if (problems.some(({ isError }) => isError)) return problems;
  const stored =
    database === null ? [] : await checkStoredIdentity(config, { database, clock: systemClock, keys });
  return [...problems, ...stored, ...(await checkLogKey(config, database))];
}

/** Whether a SQLite file can be written, or made. */
export async function checkWritable(options: DatabaseOptions): Promise<StartProblem[]> {
  if (options.engine !== 'sqlite') return [];
  const message = await whyDatabaseCannotBeWritten(options.path);
  return message === null ? [] : [{ setting: 'database.path', message, isError: true }];
}
