import type { Command } from 'commander';

import { configOption, isTrial, requireConfig, type ConfigOption } from '../configuration.js';
import { addCommand } from './command.js';

export function addServeCommand(program: Command): void {
  addCommand(program, 'serve', {
    text: 'run the server until SIGTERM or SIGINT',
    notes: `Without a configuration the server is called localhost, keeps everything in ./data, listens on loopback only
and shows what to try. Logs go to standard output, one JSON object a line unless that is a terminal.
The first signal lets running requests finish, the second one ends the process at once.`,
    examples: ['', '-c /etc/vidimus/config.yaml'],
  })
    .addOption(configOption())
    .option('--no-retry', 'exit with 1 if the database is unreachable, instead of waiting for it')
    .action(serve);
}

async function serve(option: ConfigOption & { retry: boolean }): Promise<void> {
  const loaded = requireConfig(option);
  // Only this command needs the whole server; the others start in a fraction of the time without it.
  const { runService } = await import('../serve/run-service.js');
  await runService(loaded, {
    isTrial: isTrial(option, loaded),
    config: option.config ?? null,
    retry: option.retry,
  });
}
