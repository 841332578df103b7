import { databaseOptionsOf } from '../../composition/parts.js';
import { systemClock } from '../../core/base/clock.js';
import { createLogger } from '../../core/base/logger.js';
import { copyDatabase } from '../../core/store/copy-database.js';
import type { Database } from '../../core/store/db.js';
import { migrate } from '../../core/store/migrate.js';
import { tellingStoreErrors } from '../../core/store/store-errors.js';
import { ServerLock } from '../../core/store/sqlite/server-lock.js';
import { commandEntry } from '../audited.js';
import { requireConfig, type UsableConfig } from '../configuration.js';
import { CommandError, EXIT } from '../exit.js';
import { withAccess, withDatabase } from '../store-session.js';
import { print, printJson } from '../terminal/print.js';
import { showWhile } from '../terminal/show-while.js';
import { identityProblems } from './identity-problems.js';

export interface CopyOption {
  /** Configuration files. */
  from: string;
  to: string;
  json?: true;
}

/** Copies the SQLite database of one configuration into the PostgreSQL one of another, while no server runs on either. */
export async function copyDatabaseOf({ from, to, json }: CopyOption): Promise<void> {
  const [source, target] = [requireConfig({ config: from }), requireConfig({ config: to })];
  const [sourceOptions, targetOptions] = [databaseOptionsOf(source), databaseOptionsOf(target)];
  if (sourceOptions.engine !== 'sqlite' || targetOptions.engine !== 'postgresql')
    throw new CommandError('Only SQLite is copied, and only to PostgreSQL.', EXIT.use);
  const lock = new ServerLock(sourceOptions, systemClock);
  await tellingStoreErrors(sourceOptions, () => lock.take());
  try {
    await migrate(targetOptions, createLogger({ level: 'silent' }));
    const rows = await withDatabase({ config: from }, async (_loaded, fromDatabase) => {
      await refuseUnfit(target, fromDatabase);
      return withDatabase({ config: to }, (_other, toDatabase) => copyShown(fromDatabase, toDatabase));
    });
    await withAccess({ config: to }, ({ auditLog }) => {
      const summary = 'Copied the database from SQLite to PostgreSQL';
      return auditLog.record(commandEntry({ action: 'copyDatabase', summary, detail: { rows } }, null));
    });
    if (json) printJson({ rows });
    else print(`${rows} rows copied. Now start the server with ${to}.`);
  } finally {
    lock.release();
  }
}

/** Draws how far it is. */
function copyShown(source: Database, target: Database): Promise<number> {
  let text = '';
  return showWhile(
    () => ({ fraction: null, text }),
    () => copyDatabase(source, target, ({ rows, model }) => (text = `${rows} rows, ${model}`)),
  );
}

/** What the configuration of the target has to fit: the names and keys that the source knows. */
async function refuseUnfit(target: UsableConfig, database: Database): Promise<void> {
  const problems = await identityProblems(target, database);
  if (problems.length > 0)
    throw new CommandError(
      ['With the configuration of --to the server would not start:', ...problems].join('\n'),
    );
}
