import type { Command } from 'commander';
import { databaseOptionsOf } from '../../composition/parts.js';
import type { DatabaseOptions } from '../../core/store/db.js';
import { migrate, migrationStatus } from '../../core/store/migrate.js';
import { createLogger } from '../../core/base/logger.js';
import { configOption, requireConfig, type ConfigOption } from '../configuration.js';
import { CommandError } from '../exit.js';
import { storeState } from '../store-session.js';
import { print, printJson } from '../terminal/print.js';

type Option = ConfigOption & { json?: true };

/** `vidimus db status|migrate`. */
export function addDbCommands(program: Command): void {
  const db = program
    .command('db')
    .description('look at the database and bring it up to date')
    .addHelpText('after', STATUS_EXAMPLES);
  db.command('status')
    .description('compare the database with this version; changes nothing')
    .addOption(configOption())
    .option('--json', 'print JSON')
    .addHelpText('after', STATUS_EXAMPLES)
    .action(status);
  db.command('migrate')
    .description('apply pending migrations; the server does the same at its start')
    .addOption(configOption())
    .option('--json', 'print JSON')
    .addHelpText('after', MIGRATE_EXAMPLES)
    .action(applyMigrations);
}

const STATUS_EXAMPLES = `
Exit codes of status: 0 up to date, 1 migrations are pending, unfinished or unknown to this version, 3 not reachable.

Examples:
  $ vidimus db status --config config.yaml
  $ vidimus db status --config config.yaml --json`;

const MIGRATE_EXAMPLES = `
A SQLite file is copied before it is changed; of PostgreSQL make a backup first.

Examples:
  $ vidimus db migrate --config config.yaml`;

const SUMMARY = {
  current: 'The database is up to date.',
  pending: 'Migrations are pending: start the server or run "vidimus db migrate".',
  newer: 'The database was made by a newer version of this program: install that version.',
  unfinished: 'A migration began and did not finish: "vidimus db migrate" says what to do.',
} as const;

async function status(option: Option): Promise<void> {
  const options = databaseOptionsOf(requireConfig(option));
  const found = await migrationStatus(options);
  const state = storeState(found);
  const location = locationOf(options);
  if (option.json) printJson({ engine: options.engine, location, state, ...found });
  else {
    print(`database  ${options.engine}, ${location}`);
    for (const name of ['applied', 'pending', 'unknown', 'failed'] as const) {
      print(`${name.padEnd(8)}  ${found[name].join(', ') || 'none'}`);
    }
    print(SUMMARY[state]);
  }
  if (state !== 'current') throw new CommandError(null);
}

async function applyMigrations(option: Option): Promise<void> {
  const options = databaseOptionsOf(requireConfig(option));
  const { applied } = await migrate(options, createLogger({ level: 'silent' }));
  if (option.json) printJson({ applied });
  else print(applied.length === 0 ? 'Nothing to do: up to date.' : `Applied: ${applied.join(', ')}`);
}

/** File or address, without the password. */
function locationOf(options: DatabaseOptions): string {
  if (options.engine === 'sqlite') return options.path;
  const { host, pathname, username } = new URL(options.url);
  return `${username === '' ? '' : `${username}@`}${host}${pathname}`;
}
