import { Argument, Option, type Command } from 'commander';

import { configOption } from '../configuration.js';
import { readNumber, withValue, type Operation, type Parameter, type Variables } from './operation.js';
import { ACCESS_OPERATIONS } from './operations/access.js';
import { BLOCKING_OPERATIONS } from './operations/blocking.js';
import { JOB_OPERATIONS } from './operations/jobs.js';
import { KEY_OPERATIONS } from './operations/keys.js';
import { PREVIEW_OPERATIONS } from './operations/previews.js';
import { isPaged, type OperationOption } from './run-operation.js';

/** All commands that ask the running server. */
export const OPERATIONS: readonly Operation[] = [
  ...ACCESS_OPERATIONS,
  ...JOB_OPERATIONS,
  ...KEY_OPERATIONS,
  ...PREVIEW_OPERATIONS,
  ...BLOCKING_OPERATIONS,
];

/** Commands that are only names for others below them. */
const GROUPS: Readonly<Record<string, string>> = {
  session: "who is signed in to the operators' pages",
  previews: 'stored previews, and what the server remembers in memory',
  rule: 'rules, and patterns that operators block',
  token: "access tokens for previews, operators' scripts and metrics",
  media: 'stored pages and images of previews',
  job: 'background jobs',
  webhook: 'the receiver of alarms',
};

const HELP = `
The running server of the configuration is asked, and audit says who ran this. With --json the answer has the names of
the GraphQL API.

Exit codes: 0 done, 1 refused or failed, 2 wrong use, 3 server or database not reachable.`;

/** Adds every command that asks the running server, beside those that are there. */
export function addOperations(program: Command): void {
  for (const operation of OPERATIONS) addOperation(program, operation);
}

function addOperation(program: Command, operation: Operation): void {
  const words = operation.command.split(' ');
  const name = words.at(-1) ?? '';
  const parent = words.slice(0, -1).reduce(childOf, program);
  const command = parent.command(name).description(operation.text).addOption(configOption());
  for (const parameter of operation.parameters ?? []) addParameter(command, parameter);
  if (isPaged(operation)) command.option('--limit <count>', 'how many at most (100)', readNumber);
  command
    .option('--json', 'print JSON')
    .addHelpText('after', helpOf(operation))
    .action(async () => {
      const { runOperation } = await import('./run-operation.js');
      await runOperation(operation, variablesOf(operation, command), command.opts<OperationOption>());
    });
}

function childOf(parent: Command, name: string): Command {
  const known = parent.commands.find((each) => each.name() === name);
  if (known !== undefined) return known;
  const below = OPERATIONS.filter(({ command }) => command.startsWith(`${name} `));
  return parent
    .command(name)
    .description(GROUPS[name] ?? name)
    .addHelpText('after', `\nExamples:\n${below.flatMap(examplesOf).join('\n')}`);
}

function helpOf(operation: Operation): string {
  return `${HELP}\n\nExamples:\n${examplesOf(operation).join('\n')}`;
}

function examplesOf({ command, examples }: Operation): string[] {
  return examples.map(
    (words) => `  $ ${['vidimus', command, words].filter((part) => part !== '').join(' ')}`,
  );
}

function addParameter(command: Command, { flags, text, read, choices }: Parameter): void {
  // Of several words each is read by itself.
  const each = (word: string, before: unknown): unknown => {
    const value = read === undefined ? word : read(word);
    return flags.includes('...') ? [...(Array.isArray(before) ? before : []), value] : value;
  };
  if (isArgument(flags)) {
    const argument = new Argument(flags, text).argParser(each);
    command.addArgument(choices === undefined ? argument : argument.choices([...choices]));
    return;
  }
  const option = new Option(flags, text);
  if (choices !== undefined) option.choices([...choices]);
  else if (flags.includes('<')) option.argParser(each);
  command.addOption(option);
}

function isArgument(flags: string): boolean {
  return /^[<[]/.test(flags);
}

function variablesOf({ parameters = [], variables = {} }: Operation, command: Command): Variables {
  const options = command.opts<Record<string, unknown>>();
  const words = command.processedArgs.values();
  let filled: Variables = variables;
  for (const parameter of parameters) {
    const { flags, to, value: meant } = parameter;
    const given = isArgument(flags) ? words.next().value : options[new Option(flags).attributeName()];
    // Of arguments that may be left out commander makes an empty list.
    if (given === undefined || (Array.isArray(given) && given.length === 0)) continue;
    const value = parameter.choices === undefined ? given : enumValue(given);
    filled = withValue(filled, to, given === true ? (meant ?? true) : value);
  }
  return filled;
}

function enumValue(given: unknown): unknown {
  return Array.isArray(given) ? given.map(enumValue) : String(given).toUpperCase();
}
