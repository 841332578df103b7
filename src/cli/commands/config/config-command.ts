import { Argument, type Command } from 'commander';
import { PROXY_SERVERS, type ProxyServer } from '../../../core/base/proxy-server.js';
import { describeConfig } from '../../../config/output/describe-config.js';
import { formatConfigError, type ConfigError } from '../../../config/config-errors.js';
import { NOTHING_TO_PASS_ON, proxyLines } from '../../../config/output/proxy/proxy-lines.js';
import { proxyPlan } from '../../../config/output/proxy/proxy-plan.js';
import { checkStart } from '../../check-start.js';
import {
  configOption,
  errorList,
  readConfig,
  requireConfig,
  type ConfigOption,
} from '../../configuration.js';
import { CommandError, EXIT } from '../../exit.js';
import { note, print, printJson, printTable } from '../../terminal/print.js';
import { addGenerateCommands } from './generate-command.js';

interface JsonOption {
  json?: true;
}

/** `vidimus config generate|schema|check|show|proxy`. */
export function addConfigCommands(program: Command): void {
  const config = program
    .command('config')
    .description('write, check and show the configuration, and what a reverse proxy needs for it')
    .addHelpText('after', CHECK_EXAMPLES);
  addGenerateCommands(config);
  config
    .command('check')
    .description('report every error of the configuration, with its location and the wanted form')
    .addOption(configOption())
    .option('--json', 'print JSON')
    .addHelpText('after', CHECK_EXAMPLES)
    .action(check);
  config
    .command('show')
    .description('print the effective settings and where each comes from; secrets and passwords are masked')
    .addOption(configOption())
    .option('--json', 'print JSON')
    .addHelpText('after', SHOW_EXAMPLES)
    .action(show);
  config
    .command('proxy')
    .description('print the lines that a reverse proxy in front of this server needs')
    .addArgument(new Argument('<server>', 'the proxy').choices(PROXY_SERVERS))
    .addOption(configOption())
    .option(
      '--own-name',
      "beside a homeserver: lines for the host of a server_name that is not the homeserver's",
    )
    .addHelpText('after', PROXY_EXAMPLES)
    .action(proxy);
}

const CHECK_EXAMPLES = `
Exit codes of check: 0 no errors (there may be warnings), 2 errors.

Examples:
  $ vidimus config check --config config.yaml
  $ vidimus config check --config config.yaml --json`;

const SHOW_EXAMPLES = `
Examples:
  $ vidimus config show --config config.yaml
  $ VIDIMUS__LOG__LEVEL=debug vidimus config show -c config.yaml --json`;

const PROXY_EXAMPLES = `
Printed is what belongs to peers and clients, as the configuration says it: paths of its dialect, addresses of its
listeners, media of its server_name. Operators' pages and metrics are never among it. The comments say where the
lines go and what else is to be done.

Examples:
  $ vidimus config proxy nginx --config config.yaml
  $ vidimus config proxy caddy -c config.yaml
  $ vidimus config proxy nginx -c config.yaml --own-name`;

async function check(option: ConfigOption & JsonOption): Promise<void> {
  const loaded = readConfig(option);
  const problems = loaded.ok ? await problemsOfStart(option) : [];
  const errorsOf = (isError: boolean) =>
    problems.filter((problem) => problem.isError === isError).map(({ error }) => error);
  const errors = loaded.ok ? errorsOf(true) : loaded.errors;
  const warnings = [...loaded.warnings, ...errorsOf(false)];
  const isFine = errors.length === 0;
  if (option.json) printJson({ ok: isFine, errors, warnings });
  for (const warning of option.json ? [] : warnings) note(`warning: ${formatConfigError(warning)}`);
  if (!isFine) throw new CommandError(option.json ? null : errorList(errors), EXIT.use);
  if (!option.json) print(`${option.config ?? 'Defaults and environment'}: no errors`);
}

/** What would stop a start although the text is right; without a word about where, the file as a whole. */
async function problemsOfStart(option: ConfigOption): Promise<{ isError: boolean; error: ConfigError }[]> {
  const loaded = requireConfig(option);
  const problems = await checkStart(loaded);
  return problems.map(({ setting, message, isError }) => {
    const file = loaded.originOf(setting.split(/[.[\]]+/)) ?? option.config ?? null;
    const nowhere = { line: null, column: null, variable: null, wanted: null, suggestion: null };
    return { isError, error: { ...nowhere, file, setting, message } };
  });
}

function show(option: ConfigOption & JsonOption): void {
  const { config, sources } = requireConfig(option);
  const settings = describeConfig(config, sources);
  if (option.json) printJson(settings);
  else {
    const rows = settings.map(({ name, source, value }) => [name, source, JSON.stringify(value)]);
    printTable(['SETTING', 'FROM', 'VALUE'], rows);
  }
}

function proxy(server: ProxyServer, { ownName, ...option }: ConfigOption & { ownName?: true }): void {
  const { config } = requireConfig(option);
  const options = { ownName: ownName === true };
  if (proxyPlan(config, options).routes.length === 0) {
    throw new CommandError(NOTHING_TO_PASS_ON);
  }
  process.stdout.write(proxyLines(config, server, options));
}
