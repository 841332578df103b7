type Paint = (text: string) => string;

/** Puts escape sequences around text, or leaves it as it is. */
export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly good: Paint;
  readonly bad: Paint;
}

/** Colours for a stream: only on a terminal, and not when NO_COLOR is set (https://no-color.org). */
export function styleFor(stream: NodeJS.WriteStream): Style {
  const coloured = usesColours(stream);
  const paint = (code: number) => (text: string) => (coloured ? `\u001b[${code}m${text}\u001b[0m` : text);
  return { bold: paint(1), dim: paint(2), good: paint(32), bad: paint(31) };
}

/** True when escape sequences may be written to the stream. */
export function usesColours(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY && (process.env['NO_COLOR'] ?? '') === '' && process.env['TERM'] !== 'dumb';
}
