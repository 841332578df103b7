import type { Command } from 'commander';
import { databaseOptionsOf } from '../../../composition/parts.js';
import { systemClock } from '../../../core/base/clock.js';
import {
  InstanceStore,
  isAlive,
  type InstanceInfo,
} from '../../../core/operators/overview/instance-store.js';
import { migrate, migrationStatus } from '../../../core/store/migrate.js';
import { locationOf } from '../../../core/store/store-errors.js';
import { createLogger } from '../../../core/base/logger.js';
import { configOption, requireConfig, type JsonOption } from '../../configuration.js';
import { CommandError } from '../../exit.js';
import { storeState, withDatabase } from '../../store-session.js';
import { print, printJson } from '../../terminal/print.js';
import { addTransferCommands } from './transfer-commands.js';

/** `vidimus db status|migrate|instances|backup|copy`. */
export function addDbCommands(program: Command): void {
  const db = program
    .command('db')
    .description('look at the database, bring it up to date, back it up, copy it to another one')
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
  db.command('instances')
    .description('list the servers on this database with their last sign of life')
    .addOption(configOption())
    .option('--json', 'print JSON')
    .addHelpText('after', INSTANCES_EXAMPLES)
    .action(instances);
  addTransferCommands(db);
}

const STATUS_EXAMPLES = `
Exit codes of status: 0 up to date, 1 migrations are pending or of another version, 3 not reachable.

Examples:
  $ vidimus db status --config config.yaml
  $ vidimus db status --config config.yaml --json`;

const MIGRATE_EXAMPLES = `
Make a backup first ("vidimus db backup", or pg_dump).

Examples:
  $ vidimus db migrate --config config.yaml`;

const INSTANCES_EXAMPLES = `
A server tells of itself every 30 s, and takes its line away when it stops in order.

Examples:
  $ vidimus db instances --config config.yaml`;

const SUMMARY = {
  current: 'The database is up to date.',
  pending: 'Migrations are pending: start the server or run "vidimus db migrate".',
  other_version:
    'The database was made by another version of this program. Start with an empty database, or run that version.',
} as const;

async function status(option: JsonOption): Promise<void> {
  const options = databaseOptionsOf(requireConfig(option));
  const found = await migrationStatus(options);
  const state = storeState(found);
  const location = locationOf(options);
  if (option.json) printJson({ engine: options.engine, location, state, ...found });
  else {
    print(`database  ${options.engine}, ${location}`);
    for (const name of ['applied', 'pending', 'unknown'] as const) {
      print(`${name.padEnd(8)}  ${found[name].join(', ') || 'none'}`);
    }
    print(SUMMARY[state]);
  }
  if (state !== 'current') throw new CommandError(null);
}

async function applyMigrations(option: JsonOption): Promise<void> {
  const options = databaseOptionsOf(requireConfig(option));
  const { applied } = await migrate(options, createLogger({ level: 'silent' }));
  if (option.json) printJson({ applied });
  else print(applied.length === 0 ? 'Nothing to do: up to date.' : `Applied: ${applied.join(', ')}`);
}

async function instances(option: JsonOption): Promise<void> {
  const known = await withDatabase(option, (_loaded, database) => new InstanceStore(database).list());
  const nowTs = systemClock.now();
  if (option.json) {
    printJson(known.map((info) => ({ ...toJson(info), isAlive: isAlive(info, nowTs) })));
    return;
  }
  for (const info of known) {
    const state = isAlive(info, nowTs) ? 'alive' : 'silent';
    print(`${info.name}  ${state}, last seen ${new Date(info.lastSeenTs).toISOString()}, ${info.version}`);
  }
  if (known.length === 0) print('No server has told of itself.');
}

function toJson({ name, startedTs, lastSeenTs, version, runsMediaJobs }: InstanceInfo): object {
  return { name, startedTs, lastSeenTs, version, runsMediaJobs };
}
