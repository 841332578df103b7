import { parseArgs, type ParseArgsConfig } from 'node:util';

import { KEY_TYPES, VerifierKey } from '../notes/verifier-key.js';
import { CommandError, EXIT } from './output.js';

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const MAX_PAUSE_MS = 86_400_000;

/** `parseArgs`, with exactly these positional arguments. Throws `CommandError` for wrong use. */
export function readUse<Config extends ParseArgsConfig>(
  config: Config,
  positionals: readonly string[],
): ReturnType<typeof parseArgs<Config>> {
  try {
    const parsed = parseArgs(config);
    const missing = positionals[parsed.positionals.length];
    if (missing !== undefined) throw wrongUse(`${missing} is missing`);
    const surplus = parsed.positionals[positionals.length];
    if (surplus !== undefined) throw wrongUse(`"${surplus}" is one argument too many`);
    return parsed;
  } catch (error) {
    if (error instanceof CommandError || !(error instanceof Error)) throw error;
    throw wrongUse(error.message);
  }
}

export function wrongUse(message: string): CommandError {
  return new CommandError(`${message.replace(/\.$/, '')}. Add --help to see how to use it.`, EXIT.use);
}

export function required(value: string | undefined, option: string): string {
  if (value === undefined) throw wrongUse(`${option} is missing`);
  return value;
}

/** The verifier key of a log. */
export function readLogKey(text: string): VerifierKey {
  const key = VerifierKey.parse(text);
  if (key?.type === KEY_TYPES.ed25519) return key;
  throw wrongUse('--key wants NAME+ID+BASE64, as the operator of the log publishes it');
}

/** The address of a log. */
export function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url?.search === '' && url.hash === '' && url.username === '';
  if (isPlain && /^https?:$/.test(url.protocol)) return url;
  throw wrongUse('The address of a log starts with https:// or http://');
}

/** A duration such as 30s or 5m, in ms. */
export function readPauseMs(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,9})(ms|[smhd])$/.exec(text) ?? [];
  const ms = Number(count) * (UNIT_MS[unit] ?? 0);
  if (ms > 0 && ms <= MAX_PAUSE_MS) return ms;
  throw wrongUse('--every wants a number with ms, s, m, h or d; at most 1d');
}
