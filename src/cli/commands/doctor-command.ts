import type { Command } from 'commander';
import type { Config } from '../../config/schema.js';
import { databaseOptionsOf } from '../../composition/parts.js';
import type { Examination } from '../../composition/health/doctor.js';
import { counted } from '../../core/base/text/counted.js';
import {
  failed,
  fine,
  unproved,
  warning,
  type Finding,
  type HealthCheck,
  type NamedCheck,
} from '../../core/operators/overview/health/health-check.js';
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
    .description('look at everything the service depends on, each with advice')
    .addOption(configOption())
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action(doctor);
}

const EXAMPLES = `
These are the lines of the health list, worst first; what goes out (DNS, the public name, the homeserver, object
storage) is tried now. The server may be running or not: it is asked whether it is ready, and what only it knows, such
as bounds that clients reached, stands on its own first page. Nothing is changed.

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

async function examineAll(option: JsonOption, loaded: UsableConfig): Promise<HealthCheck[]> {
  // Only this command asks; the others start without what speaks HTTP.
  const { checksWithoutStore, examine } = await import('../../composition/health/doctor.js');
  const commandLine = commandLineOf({
    script: process.argv[1] ?? '',
    cwd: process.cwd(),
    config: option.config ?? null,
  });
  const server = serverCheck(loaded.config);
  const finding = await storeFinding(option, loaded);
  if (finding !== null) {
    const store = { key: 'store', title: 'Database', how: 'looked at it', look: async () => finding };
    const checks = [server, store, ...checksWithoutStore(loaded.config)];
    return examine(loaded, { checks, commandLine, signingKeys: { list: async () => [] } });
  }
  return withServices(option, async ({ storedChecks, signingKeys }) => {
    const examination: Examination = { checks: [server, ...storedChecks], commandLine, signingKeys };
    return examine(loaded, examination);
  });
}

/** What keeps the store from being asked; `null`: nothing. */
async function storeFinding(option: JsonOption, loaded: UsableConfig): Promise<Finding | null> {
  try {
    const options = databaseOptionsOf(loaded);
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
function serverCheck(config: Config): NamedCheck {
  const look = async (): Promise<Finding> => {
    const { askReadiness } = await import('../../server/ask-readiness.js');
    const { isReady, sentence } = await askReadiness(config);
    if (isReady) return fine(sentence);
    return warning(sentence, 'Start the server; where it runs already, its log says what is wrong.');
  };
  return { key: 'server', title: 'Server', how: 'asked whether it is ready', look };
}

const STATES = { ok: 'ok       ', warning: 'WARNING  ', failed: 'FAILED   ', unproved: 'unproved ' } as const;

function linesOf({ state, title, message, advice }: HealthCheck): string[] {
  const line = printable(`${STATES[state]}${title}: ${message}`);
  return advice === null ? [line] : [line, printable(`         ${advice}`)];
}

function toJson({ key, title, state, message, advice, how }: HealthCheck): object {
  return { key, title, state, message, advice, how };
}
