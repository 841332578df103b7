import { textOf, type Param } from '../../url/params.js';

const SHORTEST = 'YYYY-MM-DDTHH:MM'.length;

/** The instant of a `datetime-local` text in UTC for the API; null when open or not a time. */
export function instantOf(text: string): string | null {
  const ts = Date.parse(`${text}Z`);
  const instant = Number.isNaN(ts) ? '' : new Date(ts).toISOString();
  // The browser takes 31 February for 3 March, which nobody wrote.
  return text.length >= SHORTEST && instant.startsWith(text) ? instant : null;
}

/** One end of a time range; the empty text is open. */
export function instant(): Param<string> {
  return textOf((text) => instantOf(text) !== null);
}
