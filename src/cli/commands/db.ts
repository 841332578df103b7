import { existsSync, statSync } from 'node:fs';

import type { Command } from 'commander';

import { databaseOptionsOf } from '../../composition/start/start-checks.js';
import { systemClock } from '../../core/base/clock.js';
import { createLogger } from '../../core/base/logger.js';
import { migrate } from '../../core/store/migrate.js';
import { backUpSqlite } from '../../core/store/sqlite/back-up.js';
import { ServerLock } from '../../core/store/sqlite/server-lock.js';
import { tellingStoreErrors } from '../../core/store/store-errors.js';
import { requireConfig, type JsonOption } from '../configuration.js';
import { checkKeys, noDatabaseYet, recordCommand, withAccess, withDatabase } from '../open-database.js';
import { CommandError, EXIT, print, printJson } from '../terminal.js';
import { addCommand, addJsonCommand, jsonOption } from './command.js';

const EXIT_CODES = 'Exit codes: 0 done, 1 refused, 2 wrong use, 3 a database is not reachable.';

export function addDbCommands(program: Command): void {
  addJsonCommand(program, 'db backup', {
    text: 'copy the SQLite database, even while the server runs',
    notes: `Back up configuration and key files as files. To restore, stop the server and copy the backup to database.path.
For PostgreSQL use pg_dump.

${EXIT_CODES}`,
    examples: ['-c config.yaml --output backup.db'],
  })
    .requiredOption('-o, --output <file>', 'new file, created with mode 0600')
    .action(backUp);
  addCommand(program, 'db copy', {
    text: 'copy all rows of a SQLite database into an empty PostgreSQL database',
    notes: `Both configurations must belong to the same server; stop it first. An interrupted copy leaves the target empty. The source
is only read. Media is not copied.

${EXIT_CODES}`,
    examples: ['--from sqlite.yaml --to postgresql.yaml'],
  })
    .requiredOption('--from <file>', 'configuration of the source')
    .requiredOption('--to <file>', 'configuration of the target')
    .addOption(jsonOption())
    .action(copy);
}

async function backUp(option: JsonOption & { output: string }): Promise<void> {
  const { output: file, json } = option;
  const options = databaseOptionsOf(requireConfig(option));
  if (options.engine !== 'sqlite')
    throw new CommandError('The database is PostgreSQL: back it up with pg_dump.', EXIT.use);
  const { path } = options;
  if (!existsSync(path)) throw noDatabaseYet(options);
  if (existsSync(file)) throw new CommandError(`${file} exists already.`);
  await tellingStoreErrors(options, async () => backUpSqlite(path, file));
  const bytes = statSync(file).size;
  if (json) printJson({ file, bytes });
  else print(`${file}, ${bytes} bytes. To restore it, stop the server and copy it to ${path}.`);
}

async function copy({ from, to, json }: { from: string; to: string; json?: true }): Promise<void> {
  const [source, target] = [requireConfig({ config: from }), requireConfig({ config: to })];
  const [sourceOptions, targetOptions] = [databaseOptionsOf(source), databaseOptionsOf(target)];
  if (sourceOptions.engine !== 'sqlite' || targetOptions.engine !== 'postgresql')
    throw new CommandError('Only SQLite is copied, and only to PostgreSQL.', EXIT.use);
  const { copyDatabase } = await import('../../core/store/copy-database.js');
  const lock = new ServerLock(sourceOptions, systemClock);
  await tellingStoreErrors(sourceOptions, () => lock.take());
  try {
    await migrate(targetOptions, createLogger({ level: 'silent' }));
    const rows = await withDatabase({ config: from }, async (_loaded, fromDatabase) => {
      const problems = await checkKeys(target, fromDatabase);
      const errors = problems.filter(({ isError }) => isError).map(({ message }) => message);
      if (errors.length > 0)
        throw new CommandError(
          ['With the configuration of --to the server would not start:', ...errors].join('\n'),
        );
      return withDatabase({ config: to }, (_other, toDatabase) => copyDatabase(fromDatabase, toDatabase));
    });
    const summary = 'Copied the database from SQLite to PostgreSQL';
    await withAccess({ config: to }, (access) =>
      recordCommand(access, { action: 'copyDatabase', summary, detail: { rows } }),
    );
    if (json) printJson({ rows });
    else print(`${rows} rows copied. Now start the server with ${to}.`);
  } finally {
    lock.release();
  }
}
