import { CommanderError } from 'commander';

import { ApiError } from '../core/base/errors/api-error.js';
import { printable, printableJson } from '../core/base/text/strings.js';
import { isStoreError, storeErrorLine } from '../core/store/store-errors.js';

export function print(...lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Writes lines to standard error: everything that is not the answer itself. */
export function note(...lines: string[]): void {
  process.stderr.write(`${lines.join('\n')}\n`);
}

export function printJson(value: unknown): void {
  print(printableJson(JSON.stringify(value, null, 2)));
}

/** Writes rows as aligned columns under a head. Cells may contain text of strangers. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const lines = [head, ...rows].map((row) => row.map(printable));
  const widths = head.map((_, column) => Math.max(...lines.map((row) => row[column]?.length ?? 0)));
  const pad = (cell: string, column: number) => cell.padEnd(widths[column] ?? 0);
  print(...lines.map((row) => row.map(pad).join('  ').trimEnd()));
}

export const EXIT = {
  ok: 0,
  failed: 1,
  /** Wrong use: unknown options, errors in the configuration. */
  use: 2,
  /** The server or the database could not be reached. */
  unreachable: 3,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends a command with an exit code and a message for the operator; `null` when the output says it already. */
export class CommandError extends Error {
  constructor(
    readonly sentences: string | null,
    readonly exitCode: ExitCode = EXIT.failed,
  ) {
    super(sentences ?? 'failed');
  }
}

/** The exit code and the message of anything a command threw, without stack; the message is `null` when already printed. */
export function describeError(error: unknown): { exitCode: ExitCode; message: string | null } {
  if (error instanceof CommandError) return { exitCode: error.exitCode, message: error.sentences };
  // Commander throws for --help and --version, too.
  if (error instanceof CommanderError)
    return { exitCode: error.exitCode === 0 ? EXIT.ok : EXIT.use, message: null };
  if (isStoreError(error)) {
    const detail = error instanceof ApiError ? error.detail : null;
    return { exitCode: EXIT.unreachable, message: detail ?? storeErrorLine(error, null) };
  }
  const detail = error instanceof ApiError && error.detail !== null ? ` (${error.detail})` : '';
  const text = (error instanceof Error ? error.message : String(error)) + detail;
  return { exitCode: EXIT.failed, message: /[.!?…]$/.test(text) ? text : `${text}.` };
}
