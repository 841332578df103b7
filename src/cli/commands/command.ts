import { Option, type Command } from 'commander';

import { configOption } from '../configuration.js';

export interface CommandHelp {
  text: string;
  /** Below the options. */
  notes?: string;
  /** What may follow the command, one example each. */
  examples: readonly string[];
}

const GROUPS: Readonly<Record<string, string>> = {
  admin: "the operators' pages",
  config: 'write, check and show the configuration',
  db: 'back up the database, or copy it to PostgreSQL',
  job: 'background jobs',
  key: "other servers' signing keys",
  keys: 'our own signing keys',
  media: 'stored pages and images',
  previews: 'stored previews',
  rule: 'block rules',
  token: 'access tokens for previews, scripts and metrics',
  webhook: 'the webhook for alarms',
};

/** Adds a command by its words, such as `token create`. */
export function addCommand(program: Command, words: string, { text, notes, examples }: CommandHelp): Command {
  const groups = words.split(' ');
  const name = groups.pop() ?? '';
  const lines = ['', 'Examples:', ...examples.map((rest) => `  $ vidimus ${words} ${rest}`.trimEnd())];
  return groups
    .reduce(groupOf, program)
    .command(name)
    .description(text)
    .addHelpText('after', [...(notes === undefined ? [] : ['', notes]), ...lines].join('\n'));
}

export function addJsonCommand(program: Command, words: string, help: CommandHelp): Command {
  return addCommand(program, words, help).addOption(configOption()).addOption(jsonOption());
}

export function jsonOption(): Option {
  return new Option('--json', 'print JSON');
}

function groupOf(parent: Command, name: string): Command {
  const known = parent.commands.find((each) => each.name() === name);
  return (
    known ??
    parent
      .command(name)
      .description(GROUPS[name] ?? name)
      .helpCommand(false)
  );
}
