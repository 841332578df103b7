import { isObject } from '../canonical-json.js';
import type { ReadKeyEntry } from '../key-entry.js';

/** Exit codes: the log has lied or a proof proves nothing; wrong use or a file; the log cannot be read. */
export const EXIT = { ok: 0, failed: 1, use: 2, unavailable: 3 } as const;

export class CommandError extends Error {
  constructor(
    message: string,
    readonly exitCode: number = EXIT.failed,
  ) {
    super(message);
  }
}

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

/** A POSIX time in ms for people. */
export function formatTs(ts: number): string {
  const date = new Date(ts);
  return Number.isNaN(date.getTime()) ? String(ts) : date.toISOString().replace('T', ' ').replace('.000', '');
}

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
  return Object.entries(isObject(listed) ? listed : {}).map(([keyId, about]) => {
    const { key, expired_ts: expiredTs } = isObject(about) ? about : {};
    const expired = typeof expiredTs === 'number' ? `  expired ${formatTs(expiredTs)}` : '';
    return `  ${title.padEnd(8)} ${printable(keyId)}  ${typeof key === 'string' ? printable(key) : ''}${expired}`;
  });
}
