import { encodeCanonicalJson, isObject, type CanonicalValue } from '../records/canonical-json.js';
import type { ReadKeyEntry } from '../records/key-entry.js';

/** Exit codes of every command. */
export const EXIT = {
  ok: 0,
  /** The log has lied, or a proof proves nothing. */
  failed: 1,
  /** Wrong use, or a file that cannot be used. */
  use: 2,
  /** The log cannot be read. */
  unavailable: 3,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends the command with an exit code and a message; `null`: the output says it already. */
export class CommandError extends Error {
  constructor(
    readonly sentences: string | null,
    readonly exitCode: ExitCode = EXIT.failed,
  ) {
    super(sentences ?? 'failed');
  }
}

/** Writes lines to standard output. */
export function print(...lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Writes lines to standard error: everything that is not the answer itself. */
export function note(...lines: string[]): void {
  process.stderr.write(`${lines.join('\n')}\n`);
}

/** Writes a value as one line of JSON. */
export function printJson(value: unknown): void {
  print(printable(encodeCanonicalJson(value)));
}

/** Characters that a terminal would obey or hide: control and format characters, line separators, lone surrogates. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Text from elsewhere, safe to print: what a terminal would obey is shown as a `\u` escape. */
export function printable(text: string): string {
  const escape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return text.replace(UNPRINTABLE, (found) => found.split('').map(escape).join(''));
}

/** A POSIX time in ms for people. */
export function formatTs(ts: number): string {
  return Math.abs(ts) > 8.64e15
    ? String(ts)
    : new Date(ts).toISOString().replace('T', ' ').replace('.000', '');
}

const MAX_KEYS = 16;

/** What an entry says, one fact a line, safe to print. */
export function entryLines({ event, observedTs, serverName, recordSha256, content }: ReadKeyEntry): string[] {
  return [
    `${formatTs(observedTs)}  ${printable(serverName)}  ${event}`,
    `  record   ${recordSha256}`,
    ...keyLines('key', content['verify_keys']),
    ...keyLines('old key', content['old_verify_keys']),
  ];
}

function keyLines(title: string, listed: CanonicalValue | undefined): string[] {
  if (!isObject(listed)) return [];
  const lines = Object.entries(listed).map(([keyId, about]) => {
    const { key, expired_ts: expiredTs } = isObject(about) ? about : {};
    const expired = typeof expiredTs === 'number' ? `  expired ${formatTs(expiredTs)}` : '';
    return `  ${title.padEnd(8)} ${printable(keyId)}  ${typeof key === 'string' ? printable(key) : ''}${expired}`;
  });
  const more = lines.length - MAX_KEYS;
  return more > 0 ? [...lines.slice(0, MAX_KEYS), `  … and ${more} more`] : lines;
}
