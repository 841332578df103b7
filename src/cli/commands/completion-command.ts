import { Argument, type Command } from 'commander';
import { completionScript } from '../completion.js';

/** `vidimus completion`. */
export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('print what bash needs to complete commands and options')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash']))
    .addHelpText(
      'after',
      `
Examples:
  $ vidimus completion bash > /etc/bash_completion.d/vidimus`,
    )
    .action(() => void process.stdout.write(completionScript(program)));
}
