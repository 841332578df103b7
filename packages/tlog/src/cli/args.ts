import { parseArgs, type ParseArgsConfig } from 'node:util';

import { KEY_TYPES, VerifierKey } from '../note.js';
import { CommandError, EXIT } from './output.js';

export const wrongUse = (message: string): CommandError =>
  new CommandError(`${message.replace(/\.$/, '')}. Add --help to see how to use it.`, EXIT.use);

type Options = NonNullable<ParseArgsConfig['options']>;
type Use<Known extends Options> = { args: string[]; options: Known; allowPositionals: true };

/** `parseArgs` with exactly these positional arguments. */
export function readUse<Known extends Options>(
  args: string[],
  options: Known,
  names: readonly string[] = [],
): ReturnType<typeof parseArgs<Use<Known>>> {
  const parsed = parseArgs<Use<Known>>({ args, options, allowPositionals: true });
  const missing = names[parsed.positionals.length];
  if (missing !== undefined) throw wrongUse(`${missing} is missing`);
  const surplus = parsed.positionals[names.length];
  if (surplus !== undefined) throw wrongUse(`"${surplus}" is one argument too many`);
  return parsed;
}

export function required(value: string | undefined, option: string): string {
  if (value === undefined) throw wrongUse(`${option} is missing`);
  return value;
}

/** The verifier key of a log. */
export function readLogKey(text: string | undefined, option = '--key'): VerifierKey {
  const key = VerifierKey.parse(required(text, option));
  if (key?.type === KEY_TYPES.ed25519) return key;
  throw wrongUse(`${option} wants NAME+ID+BASE64, as the operator of the log publishes it`);
}

/** The address of a log. */
export function readUrl(text: string): URL {
  if (/^https?:\/\/[^?#@]+$/.test(text) && URL.canParse(text)) return new URL(text);
  throw wrongUse('The address of a log starts with https:// or http://');
}
