import { existsSync, statSync } from 'node:fs';

import { databaseOptionsOf } from '../../composition/parts.js';
import { tellingStoreErrors } from '../../core/store/store-errors.js';
import { backUpSqlite } from '../../core/store/sqlite/back-up.js';
import { requireConfig, type ConfigOption } from '../configuration.js';
import { CommandError, EXIT } from '../exit.js';
import { formatBytes } from '../terminal/bytes.js';
import { noDatabaseYet } from '../store-session.js';
import { print, printJson } from '../terminal/print.js';

export interface BackUpOption extends ConfigOption {
  output: string;
  json?: true;
}

/** Copies the SQLite file as it is at one moment; a server may run. */
export async function backUpDatabase(option: BackUpOption): Promise<void> {
  const { output, json } = option;
  const options = databaseOptionsOf(requireConfig(option));
  if (options.engine !== 'sqlite')
    throw new CommandError('The database is PostgreSQL: back it up with pg_dump.', EXIT.use);
  const { path } = options;
  if (!existsSync(path)) throw noDatabaseYet(options);
  if (existsSync(output)) throw new CommandError(`${output} exists already.`);
  await tellingStoreErrors(options, async () => backUpSqlite(path, output));
  const { size } = statSync(output);
  if (json) printJson({ file: output, bytes: size });
  else print(`${output}, ${formatBytes(size)}. To restore it, stop the server and copy it to ${path}.`);
}
