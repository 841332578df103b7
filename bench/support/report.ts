/** One line of the report: what was measured, what it must reach, and whether it does. */
export interface ReportLine {
  case: string;
  /** Figures with units in their names, as they go into the JSON. */
  figures: Record<string, number | null>;
  /** The same for people. */
  text: string;
  /** In words; `null` when the case is there for comparison only. */
  mark: string | null;
  reached: boolean | null;
}

/** The table people read. */
export function formatTable(lines: readonly ReportLine[]): string {
  const rows = lines.map((line) => [line.case, line.text, line.mark ?? '', verdict(line)]);
  const all = [['case', 'measured', 'mark', ''], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function verdict({ reached }: ReportLine): string {
  if (reached === null) return '';
  return reached ? 'reached' : 'MISSED';
}

/** `1,234.5`: never more digits than the measurement is worth. */
export function formatNumber(value: number): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
