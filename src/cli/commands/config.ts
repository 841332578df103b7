import { writeFile } from 'node:fs/promises';
import { Argument, type Command } from 'commander';

import {
  configError,
  formatConfigError,
  valueProblem,
  type ConfigError,
} from '../../config/config-errors.js';
import { generateSample } from '../../config/output/generate-sample.js';
import { configJsonSchema } from '../../config/output/json-schema.js';
import { PROXY_SERVERS, proxyLines, proxyRoutes, type ProxyServer } from '../../config/output/proxy.js';
import { viewSettings } from '../../config/setting-view.js';
import { errorCode } from '../../core/base/errors/api-error.js';
import { parseServerName } from '../../core/notary/federation/server-name.js';
import {
  configOption,
  errorList,
  readConfig,
  requireConfig,
  type ConfigOption,
  type JsonOption,
} from '../configuration.js';
import { checkStart } from '../open-database.js';
import { CommandError, EXIT, note, print, printJson, printTable } from '../terminal.js';
import { addCommand, addJsonCommand } from './command.js';

const OUTPUT = ['-o, --output <file>', 'write to a new file instead of standard output'] as const;

/** `vidimus config generate|schema|check|show|proxy`; `reload` asks the server. */
export function addConfigCommands(program: Command): void {
  addCommand(program, 'config generate', {
    text: 'print a configuration file with every setting explained',
    examples: ['--server-name example.org --output config.yaml'],
  })
    .option(...OUTPUT)
    .option('--server-name <name>', 'the name of this server')
    .action(generate);
  addCommand(program, 'config schema', {
    text: 'print the JSON Schema of the configuration, for editors',
    notes: `Editors with the YAML language server use it when the configuration begins with
  # yaml-language-server: $schema=config.schema.json`,
    examples: ['--output config.schema.json'],
  })
    .option(...OUTPUT)
    .action(({ output }: { output?: string }) =>
      write(`${JSON.stringify(configJsonSchema(), null, 2)}\n`, output),
    );
  addJsonCommand(program, 'config check', {
    text: 'report all errors of the configuration and all else that prevents a start',
    notes: 'Exit codes: 0 no errors (there may be warnings), 2 errors.',
    examples: ['-c config.yaml', '-c config.yaml --json'],
  }).action(check);
  addJsonCommand(program, 'config show', {
    text: 'print the effective settings and where each comes from; without secrets',
    examples: ['-c config.yaml', '-c config.yaml --json'],
  }).action(show);
  addCommand(program, 'config proxy', {
    text: 'print the configuration of a reverse proxy for this server',
    notes: `Covers the paths for peers and clients, never the operators' pages or metrics. Comments say where the lines go.`,
    examples: ['nginx -c config.yaml', 'caddy -c config.yaml --own-name'],
  })
    .addArgument(new Argument('<server>', 'the proxy').choices(PROXY_SERVERS))
    .addOption(configOption())
    .option(
      '--own-name',
      'beside a homeserver: lines for the host of server_name if the homeserver has another name',
    )
    .action(proxy);
}

async function generate({ output, serverName }: { output?: string; serverName?: string }): Promise<void> {
  if (serverName !== undefined && parseServerName(serverName) === null)
    throw new CommandError(
      `${JSON.stringify(serverName)} is not a server name such as example.org.`,
      EXIT.use,
    );
  await write(generateSample(serverName ?? null), output);
}

/** To standard output without a file; never over an existing file. */
async function write(text: string, output: string | undefined): Promise<void> {
  if (output === undefined) {
    process.stdout.write(text);
    return;
  }
  try {
    await writeFile(output, text, { flag: 'wx', mode: 0o640 });
  } catch (error) {
    const why = errorCode(error) === 'EEXIST' ? 'the file exists already' : String(error);
    throw new CommandError(`${output} was not written: ${why}.`);
  }
  note(`Written: ${output}`);
}

async function check(option: JsonOption): Promise<void> {
  const loaded = readConfig(option);
  const problems = loaded.ok ? await problemsOfStart(option) : [];
  const problemsWith = (isError: boolean) =>
    problems.filter((problem) => problem.isError === isError).map(({ error }) => error);
  const errors = loaded.ok ? problemsWith(true) : loaded.errors;
  const warnings = [...loaded.warnings, ...problemsWith(false)];
  const isFine = errors.length === 0;
  if (option.json) printJson({ ok: isFine, errors, warnings });
  for (const warning of option.json ? [] : warnings) note(`warning: ${formatConfigError(warning)}`);
  if (!isFine) throw new CommandError(option.json ? null : errorList(errors), EXIT.use);
  if (!option.json) print(`${option.config ?? 'Defaults and environment'}: no errors`);
}

/** What would stop a start although the text is right. */
async function problemsOfStart(option: ConfigOption): Promise<{ isError: boolean; error: ConfigError }[]> {
  const loaded = requireConfig(option);
  const problems = await checkStart(loaded);
  return problems.map(({ setting, message, isError }) => {
    const file = loaded.originOf(setting.split(/[.[\]]+/)) ?? option.config ?? null;
    return { isError, error: configError(valueProblem(setting, message), { file }) };
  });
}

function show(option: JsonOption): void {
  const settings = viewSettings(requireConfig(option));
  if (option.json) printJson(settings);
  else {
    const rows = settings.map(({ path, origin, value, isSecret, isSet }) => [
      path,
      origin ?? 'default',
      isSecret && isSet ? '(secret)' : JSON.stringify(value),
    ]);
    printTable(['SETTING', 'FROM', 'VALUE'], rows);
  }
}

function proxy(server: ProxyServer, { ownName, ...option }: ConfigOption & { ownName?: true }): void {
  const { config } = requireConfig(option);
  if (proxyRoutes(config, ownName).length === 0)
    throw new CommandError('No listener serves peers or clients: there is nothing to proxy.');
  process.stdout.write(proxyLines(config, server, ownName));
}
