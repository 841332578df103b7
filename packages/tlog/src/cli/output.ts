import { parseArgs, type ParseArgsConfig } from 'node:util';

import { isObject } from '../canonical-json.js';
import type { ReadKeyEntry } from '../key-entry.js';
import { KEY_TYPES, VerifierKey } from '../note.js';

/** Exit codes of every command. */
export const EXIT = {
  ok: 0,
  /** The log has lied, or a proof proves nothing. */
  failed: 1,
  /** Wrong use, or an unusable file. */
  use: 2,
  /** The log cannot be read. */
  unavailable: 3,
} as const;

/** Ends the command with an exit code; without a message the output says it already. */
export class CommandError extends Error {
  constructor(
    message: string,
    readonly exitCode: number = EXIT.failed,
  ) {
    super(message);
  }
}

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
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url?.search === '' && url.hash === '' && url.username === '';
  if (isPlain && /^https?:$/.test(url.protocol)) return url;
  throw wrongUse('The address of a log starts with https:// or http://');
}

/** Aborted by Ctrl-C and SIGTERM. */
export function stopSignal(): AbortSignal {
  const stop = new AbortController();
  const end = (): void => stop.abort();
  process.once('SIGINT', end).once('SIGTERM', end);
  return stop.signal;
}

/** Writes lines to standard output. */
export function print(...lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Writes lines to standard error: everything that is not the result itself. */
export function note(...lines: string[]): void {
  process.stderr.write(`${lines.join('\n')}\n`);
}

/** Characters that a terminal would obey or hide: control and format characters, line separators, lone surrogates. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Text from elsewhere, safe to print: replaces unprintable characters with `\u` escapes. */
export function printable(text: string): string {
  const escape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return text.replace(UNPRINTABLE, (found) => found.split('').map(escape).join(''));
}

const MAX_DATE_MS = 8.64e15;

/** A POSIX time in ms for people. */
export function formatTs(ts: number): string {
  if (Math.abs(ts) > MAX_DATE_MS) return String(ts);
  return new Date(ts).toISOString().replace('T', ' ').replace('.000', '');
}

const MAX_KEYS = 16;

/** An entry, one fact a line, safe to print. */
export function entryLines({ event, observedTs, serverName, recordSha256, content }: ReadKeyEntry): string[] {
  return [
    `${formatTs(observedTs)}  ${printable(serverName)}  ${event}`,
    `  record   ${recordSha256}`,
    ...keyLines('key', content['verify_keys']),
    ...keyLines('old key', content['old_verify_keys']),
  ];
}

function keyLines(title: string, listed: unknown): string[] {
  const lines = Object.entries(isObject(listed) ? listed : {}).map(([keyId, about]) => {
    const { key, expired_ts: expiredTs } = isObject(about) ? about : {};
    const expired = typeof expiredTs === 'number' ? `  expired ${formatTs(expiredTs)}` : '';
    return `  ${title.padEnd(8)} ${printable(keyId)}  ${typeof key === 'string' ? printable(key) : ''}${expired}`;
  });
  const more = lines.length - MAX_KEYS;
  return more > 0 ? [...lines.slice(0, MAX_KEYS), `  … and ${more} more`] : lines;
}
