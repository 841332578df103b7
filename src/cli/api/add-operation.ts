import { Argument, Option, type Command } from 'commander';

import { addJsonCommand } from '../commands/command.js';
import { readNumber, withValue, type Operation, type Parameter, type Variables } from './operation.js';
import type { OperationOption } from './run-operation.js';

const NOTES = `Sends the request to the running server, as an admin. JSON uses the names of the GraphQL API.
Exit codes: 0 done, 1 refused or failed, 2 wrong use, 3 server or database not reachable.`;

export function addOperation(program: Command, operation: Operation): void {
  const examples = [`${operation.example ?? ''} -c config.yaml`.trim()];
  const help = { text: operation.text, notes: NOTES, examples };
  const command = addJsonCommand(program, operation.command, help);
  for (const parameter of operation.parameters ?? []) addParameter(command, parameter);
  if (operation.document.includes('$after'))
    command.option('--limit <count>', 'maximum number of rows (100)', readNumber);
  command.action(async () => {
    const { runOperation } = await import('./run-operation.js');
    await runOperation(operation, variablesOf(operation, command), command.opts<OperationOption>());
  });
}

function addParameter(command: Command, { flags, text, read, choices }: Parameter): void {
  // Each of several words is read by itself.
  const each = (word: string, before: unknown): unknown => {
    const value = read === undefined ? word : read(word);
    return flags.includes('...') ? [...(Array.isArray(before) ? before : []), value] : value;
  };
  if (isArgument(flags)) {
    command.addArgument(new Argument(flags, text).argParser(each));
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
  for (const { flags, to, choices, value } of parameters) {
    const given = isArgument(flags) ? words.next().value : options[new Option(flags).attributeName()];
    // Commander makes an empty list of arguments that were left out.
    if (given === undefined || (Array.isArray(given) && given.length === 0)) continue;
    if (given === true) filled = withValue(filled, to, value ?? true);
    else filled = withValue(filled, to, choices === undefined ? given : enumValue(given));
  }
  return filled;
}

function enumValue(given: unknown): unknown {
  return Array.isArray(given) ? given.map(enumValue) : String(given).toUpperCase();
}
