import type { Command } from 'commander';

import { configOption, readConfig, type ConfigOption } from '../configuration.js';
import { CommandError } from '../errors.js';
import { print } from '../terminal.js';
import { addCommand } from './command.js';

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
  const { isReady, sentence } = await askReadiness(loaded.config);
  if (!isReady) throw new CommandError(sentence);
  print(sentence);
}
