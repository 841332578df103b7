import type { Command } from 'commander';

import { databaseOptionsOf } from '../../composition/start/start-checks.js';
import type { Config } from '../../config/schema.js';
import { systemClock } from '../../core/base/clock.js';
import { counted, printable } from '../../core/base/text/strings.js';
import { failed, ok, unproved, type Finding } from '../../core/operators/health/health.js';
import { migrationStatus } from '../../core/store/migrate.js';
import { ServerLock } from '../../core/store/sqlite/server-lock.js';
import {
  configOption,
  readConfig,
  requireConfig,
  type ConfigOption,
  type JsonOption,
  type UsableConfig,
} from '../configuration.js';
import { databaseObstacle, withDatabase } from '../open-database.js';
import { CommandError, describeError, print, printJson } from '../terminal.js';
import { addCommand, addJsonCommand } from './command.js';

export function addDoctorCommand(program: Command): void {
  addJsonCommand(program, 'doctor', {
    text: 'check what the service depends on',
    notes: `Works whether the server runs or not, and changes nothing. "vidimus health" shows the checks of the running server.

Exit codes: 0 nothing failed (there may be warnings), 1 something failed, 2 faulty configuration.`,
    examples: ['-c config.yaml', '-c config.yaml --json'],
  }).action(doctor);
}

const STATES = { ok: 'ok', warning: 'WARNING', failed: 'FAILED', not_yet_proved: 'not yet proved' } as const;

async function doctor(option: JsonOption): Promise<void> {
  const loaded = requireConfig(option);
  const { examine } = await import('../../composition/health/outside-checks.js');
  const own = [
    {
      id: 'server',
      title: 'Server',
      how: 'asked whether it is ready',
      check: () => serverFinding(loaded.config),
    },
    { id: 'database', title: 'Database', how: 'opened', check: () => databaseFinding(option, loaded) },
  ];
  const checks = await examine(loaded, own);
  const bad = checks.filter(({ state }) => state === 'failed').length;
  if (option.json) printJson({ ok: bad === 0, checks });
  else
    for (const { state, title, message, advice } of checks) {
      print(printable(`${STATES[state].padEnd(16)}${title}: ${message}`));
      if (advice !== null) print(printable(`${' '.repeat(16)}${advice}`));
    }
  if (bad > 0) throw new CommandError(option.json ? null : `${counted(bad, 'check')} failed.`);
}

async function serverFinding(config: Config): Promise<Finding> {
  const { askReadiness } = await import('../../server/own-listener.js');
  try {
    return ok(`Ready: ${await askReadiness(config)}.`);
  } catch (error) {
    const sentence = describeError(error).message ?? '';
    return unproved(sentence, 'Start the server. If it runs already, read its log.');
  }
}

async function databaseFinding(option: JsonOption, loaded: UsableConfig): Promise<Finding> {
  try {
    const options = databaseOptionsOf(loaded);
    const status = await migrationStatus(options);
    await new ServerLock(options, systemClock).check();
    const obstacle = databaseObstacle(status);
    if (status.applied.length === 0) return unproved('There is no database yet; the first start creates it.');
    if (obstacle !== null) return failed(obstacle, 'Nothing was changed.');
    await withDatabase(option, (_loaded, database) => database.ping());
    return ok('The database answers and has the tables of this version.');
  } catch (error) {
    return failed(
      describeError(error).message ?? 'The database cannot be queried.',
      'Check that it runs, and the section "database" of the configuration.',
    );
  }
}

export function addHealthcheckCommand(program: Command): void {
  addCommand(program, 'healthcheck', {
    text: 'check whether the running server is ready',
    notes: `Asks the first listener that serves health, within 5 s. For containers and service managers.

Exit codes: 0 ready; 1 not ready, not reachable, or a faulty configuration.`,
    examples: ['-c /etc/vidimus/config.yaml'],
  })
    .addOption(configOption())
    .action(healthcheck);
}

async function healthcheck(option: ConfigOption): Promise<void> {
  const loaded = readConfig(option);
  if (!loaded.ok) throw new CommandError('The configuration has errors; "vidimus config check" lists them.');
  const { askReadiness } = await import('../../server/own-listener.js');
  print(`Ready: ${await askReadiness(loaded.config)}.`);
}
