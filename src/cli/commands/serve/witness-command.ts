import type { Command } from 'commander';

import { readWitnessKey } from '../../../composition/start/note-keys.js';
import type { Config } from '../../../config/schema.js';
import {
  configOption,
  requireConfig,
  type ConfigOption,
  type JsonOption,
  type UsableConfig,
} from '../../configuration.js';
import { CommandError, EXIT } from '../../exit.js';
import { commandLineOf } from '../../invocation.js';
import { print, printJson } from '../../terminal/print.js';

/** What a witness serves beside itself. */
const RESOURCES: ReadonlySet<string> = new Set(['witness', 'health', 'metrics']);

/** `vidimus witness` and `vidimus witness key`. */
export function addWitnessCommands(program: Command): void {
  const witness = program
    .command('witness')
    .description('run only the witness of other logs, until SIGTERM or SIGINT')
    .addOption(configOption())
    .option('--no-retry', 'end with 1 when the database cannot be reached, instead of waiting for it')
    .addHelpText('after', EXAMPLES)
    .action(serveWitness);
  witness
    .command('key')
    .description('print the verifier key of the witness, for the operators of the logs it watches')
    .addOption(configOption())
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action(printKey);
}

const EXAMPLES = `
Of the configuration it takes the listeners with the resource witness (and health and metrics on them), the
database and witness.logs; it fetches no keys, makes no previews and needs no signing key. "vidimus serve" is a
witness, too, where a listener has that resource.

Examples:
  $ vidimus witness --config /etc/vidimus/witness.yaml
  $ vidimus witness key --config /etc/vidimus/witness.yaml`;

async function serveWitness(option: ConfigOption & { retry: boolean }): Promise<void> {
  const loaded = requireConfig(option);
  const alone = { ...loaded, config: witnessOnly(loaded) };
  const { runService } = await import('../../serve/run-service.js');
  await runService(alone, {
    mode: 'witness',
    prepare: async () => undefined,
    onReady: async ({ witness, parts: { logger } }) => {
      logger.info({ verifier_key: witness.verifierKey, logs: witness.origins }, 'witness');
    },
    commandLine: commandLineOf({
      script: process.argv[1] ?? '',
      cwd: process.cwd(),
      config: option.config ?? null,
    }),
    retry: option.retry,
  });
}

/** The options are those of the command above, wherever they stand. */
async function printKey(_: ConfigOption, command: Command): Promise<void> {
  const option = command.optsWithGlobals<JsonOption>();
  const { name, verifierKey } = await readWitnessKey(requireConfig(option).config);
  if (option.json) printJson({ name, verifier_key: verifierKey });
  else print(verifierKey);
}

/** The same without what only a whole server serves. */
function witnessOnly({ config }: UsableConfig): Config {
  const listeners = config.listeners
    .map((listener) => ({
      ...listener,
      resources: listener.resources.filter((name) => RESOURCES.has(name)),
    }))
    .filter(({ resources }) => resources.length > 0);
  if (!listeners.some(({ resources }) => resources.includes('witness')))
    throw new CommandError('No listener has the resource witness; name it in listeners.', EXIT.use);
  return { ...config, listeners };
}
