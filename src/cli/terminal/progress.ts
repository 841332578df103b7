/** How far some work is. */
export interface Progress {
  /** 0 to 1; `null` when nobody knows. */
  fraction: number | null;
  /** A few words, such as what has been done so far. */
  text: string;
}

const BAR_CELLS = 24;
const DEFAULT_COLUMNS = 80;

/** A line that tells how far some work is, rewritten in place. Draws nothing unless the stream is a terminal. */
export class ProgressLine {
  #isDrawn = false;

  constructor(private readonly stream: NodeJS.WriteStream) {}

  /** Draws the line anew. */
  show(progress: Progress): void {
    if (!this.stream.isTTY) return;
    this.#isDrawn = true;
    this.stream.write(`\r${progressText(progress, this.stream.columns || DEFAULT_COLUMNS)}\u001b[K`);
  }

  /** Takes the line away; what is printed next stands in its place. */
  clear(): void {
    if (this.#isDrawn) this.stream.write('\r\u001b[K');
    this.#isDrawn = false;
  }
}

/** The line as text, at most as wide as the terminal less one column: a full line would wrap. */
export function progressText({ fraction, text }: Progress, columns: number): string {
  const bar = fraction === null ? '' : `${barOf(fraction)} ${percentOf(fraction)}  `;
  return `${bar}${text}`.slice(0, Math.max(0, columns - 1));
}

function barOf(fraction: number): string {
  const full = Math.round(fraction * BAR_CELLS);
  return `[${'#'.repeat(full)}${'-'.repeat(BAR_CELLS - full)}]`;
}

function percentOf(fraction: number): string {
  return `${Math.floor(fraction * 100)}%`.padStart(4);
}
