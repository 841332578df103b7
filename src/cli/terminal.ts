import { printable, printableJson } from '../core/base/text/printable.js';

/** Writes lines to standard output. */
export function print(...lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Writes lines to standard error: everything that is not the answer itself. */
export function note(...lines: string[]): void {
  process.stderr.write(`${lines.join('\n')}\n`);
}

/** Writes a value as indented JSON to standard output. */
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

type Paint = (text: string) => string;

/** Puts escape sequences around text, or leaves it as it is. */
export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly good: Paint;
}

/** Colours for a stream: only on a terminal, and not when NO_COLOR is set (https://no-color.org). */
export function styleFor(stream: NodeJS.WriteStream): Style {
  const isColoured = usesColours(stream);
  const paint = (code: number) => (text: string) => (isColoured ? `\u001b[${code}m${text}\u001b[0m` : text);
  return { bold: paint(1), dim: paint(2), good: paint(32) };
}

/** True when escape sequences may be written to the stream. */
export function usesColours(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY && (process.env['NO_COLOR'] ?? '') === '' && process.env['TERM'] !== 'dumb';
}
