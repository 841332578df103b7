import type { Command } from 'commander';

import { createProgram } from '../../src/cli/program.js';

const WIDTH = 100;

/** `docs/reference/cli.md`: the help of every command. */
export function cliPage(): string {
  return [
    '# Commands',
    'Made from the help of the commands by `npm run docs`. From a checkout it is `node bin/vidimus.js COMMAND`. Exit codes: 0 done, 1 failed, 2 wrong use, 3 unreachable.',
    ...leavesOf(createProgram(), []).flatMap(({ path, command }) => [
      `## ${['vidimus', ...path].join(' ')}`,
      `\`\`\`text\n${helpOf(command)}\n\`\`\``,
    ]),
  ].join('\n\n').concat('\n');
}

/** Commands that do something, with their names from the outermost on. */
export function leavesOf(command: Command, path: readonly string[]): { path: string[]; command: Command }[] {
  const below = command.commands.filter((each) => each.name() !== 'help');
  if (below.length === 0) return [{ path: [...path], command }];
  return below.flatMap((each) => leavesOf(each, [...path, each.name()]));
}

function helpOf(command: Command): string {
  let help = '';
  command.configureOutput({
    writeOut: (text) => {
      help += text;
    },
    getOutHelpWidth: () => WIDTH,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  return help.trim();
}
