import type { Command } from 'commander';
import type { Config } from '../../config/schema.js';
import { databaseOptionsOf } from '../../composition/parts.js';
import { whyDatabaseCannotBeWritten } from '../../composition/start/file-place.js';
import { counted } from '../../core/base/text/counted.js';
import {
  failed,
  ok,
  unproved,
  type Check,
  type Finding,
  type HealthLine,
} from '../../core/operators/health/health-check.js';
import { ServerLock } from '../../core/store/sqlite/server-lock.js';
import { systemClock } from '../../core/base/clock.js';
import { migrationStatus } from '../../core/store/migrate.js';
import { configOption, requireConfig, type JsonOption, type UsableConfig } from '../configuration.js';
import { describeError } from '../describe-error.js';
import { CommandError } from '../exit.js';
import { commandLineOf } from '../invocation.js';
import { STORE_REFUSALS, storeState, withDatabase, withServices } from '../store-session.js';
import { print, printJson } from '../terminal/print.js';
import { printable } from '../../core/base/text/printable.js';

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('check everything the service depends on, with advice')
    .addOption(configOption())
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action(doctor);
}

const EXAMPLES = `
Runs the checks of the health list once, worst first, whether the server runs or not. Checks that only a running server
can make, such as limits that clients reached, are on its first page. Nothing is changed.

Exit codes: 0 nothing failed (there may be warnings), 1 something failed, 2 faulty configuration.

Examples:
  $ vidimus doctor --config config.yaml
  $ vidimus doctor --config config.yaml --json`;

async function doctor(option: JsonOption): Promise<void> {
  const loaded = requireConfig(option);
  const checks = await examineAll(option, loaded);
  const bad = checks.filter(({ state }) => state === 'failed').length;
  if (option.json) printJson({ ok: bad === 0, checks: checks.map(toJson) });
  else for (const check of checks) print(...linesOf(check));
  if (bad > 0) throw new CommandError(option.json ? null : `${counted(bad, 'check')} failed.`);
}

async function examineAll(option: JsonOption, loaded: UsableConfig): Promise<HealthLine[]> {
  // Only this command asks; the others start without what speaks HTTP.
  const { examine, examineWithoutStore } = await import('../../composition/health/doctor.js');
  const server = serverCheck(loaded.config);
  const finding = await storeFinding(option, loaded);
  if (finding === null) return withServices(option, ({ healthChecks }) => examine([server, ...healthChecks]));
  const invocation = { script: process.argv[1] ?? '', cwd: process.cwd(), config: option.config ?? null };
  const database = {
    id: 'database',
    title: 'Database',
    how: 'asked the database',
    check: async () => finding,
  };
  return examineWithoutStore(loaded, { checks: [server, database], commandLine: commandLineOf(invocation) });
}

/** What keeps the store from being asked; `null`: nothing. */
async function storeFinding(option: JsonOption, loaded: UsableConfig): Promise<Finding | null> {
  try {
    const options = databaseOptionsOf(loaded);
    const obstacle = options.engine === 'sqlite' ? await whyDatabaseCannotBeWritten(options.path) : null;
    if (obstacle !== null)
      return failed(
        `It cannot be used: ${obstacle}.`,
        'Give the user of the server the right to write there, or correct database.path.',
      );
    const status = await migrationStatus(options);
    await new ServerLock(options, systemClock).holder();
    const state = storeState(status);
    if (state === 'current') {
      await withDatabase(option, (_loaded, database) => database.ping());
      return null;
    }
    if (status.applied.length === 0 && state === 'pending')
      return unproved('There is no database yet; the first start makes it.');
    return failed('The database is not of this version.', STORE_REFUSALS[state]);
  } catch (error) {
    return failed(
      describeError(error).message ?? 'The database cannot be asked.',
      'Look whether it runs, and at the section "database" of the configuration.',
    );
  }
}

/** The server of this configuration, asked as `vidimus healthcheck` does. */
function serverCheck(config: Config): Check {
  const check = async (): Promise<Finding> => {
    const { askReadiness } = await import('../../server/ask-readiness.js');
    const { isReady, sentence } = await askReadiness(config);
    if (isReady) return ok(sentence);
    return unproved(sentence, null, 'Start the server. If it runs already, read its log.');
  };
  return { id: 'server', title: 'Server', how: 'asked whether it is ready', check };
}

const STATES = { ok: 'ok       ', warning: 'WARNING  ', failed: 'FAILED   ', unproved: 'unknown  ' } as const;

function linesOf({ state, title, message, advice }: HealthLine): string[] {
  const line = printable(`${STATES[state]}${title}: ${message}`);
  return advice === null ? [line] : [line, printable(`         ${advice}`)];
}

function toJson({ id, title, state, message, advice, how }: HealthLine): object {
  return { id, title, state, message, advice, how };
}
