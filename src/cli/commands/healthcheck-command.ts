import type { Command } from 'commander';
import { configOption, readConfig, type ConfigOption } from '../configuration.js';
import { CommandError } from '../exit.js';
import { print } from '../terminal/print.js';

/** `vidimus healthcheck`. */
export function addHealthcheckCommand(program: Command): void {
  program
    .command('healthcheck')
    .description('ask the running server of this configuration whether it is ready')
    .addOption(configOption())
    .addHelpText(
      'after',
      `
The first listener that serves health is asked, on this machine, within 5 s. For containers and service managers.

Exit codes: 0 ready, 1 not ready, not reached, or a faulty configuration.

Examples:
  $ vidimus healthcheck --config /etc/vidimus/config.yaml`,
    )
    .action(healthcheck);
}

async function healthcheck(option: ConfigOption): Promise<void> {
  const loaded = readConfig(option);
  if (!loaded.ok) throw new CommandError('The configuration has errors; "vidimus config check" lists them.');
  // Only this command asks; the others start without what speaks HTTP.
  const { askReadiness } = await import('../../server/ask-readiness.js');
  const { isReady, sentence } = await askReadiness(loaded.config);
  if (!isReady) throw new CommandError(sentence);
  print(sentence);
}
