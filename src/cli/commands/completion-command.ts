import { Argument, type Command } from 'commander';
import { completionScript, SHELLS, type Shell } from '../completion.js';

/** `vidimus completion`. */
export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('print what a shell needs to complete commands and options')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText(
      'after',
      `
Examples:
  $ vidimus completion bash > /etc/bash_completion.d/vidimus
  $ source <(vidimus completion zsh)
  $ vidimus completion fish > ~/.config/fish/completions/vidimus.fish`,
    )
    .action((shell: Shell) => void process.stdout.write(completionScript(program, shell)));
}
