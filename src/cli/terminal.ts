import { printable, printableJson } from '../core/base/text/strings.js';

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
