const ISO_DATE =
  /^\d{4}-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?\s?(?:Z|[+-]\d{2}:?\d{2})?)?)?$/i;
const YEAR = /\b(?:19|20)\d{2}\b/;
const ONLY_YEAR = /^(?:19|20)\d{2}$/;
const MONTH = /\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/i;
const YEAR_FIRST = /(?:^|\s)((?:19|20)\d{2})(?:\/|\.\s?|年\s?)(\d{1,2})(?:\/|\.\s?|月\s?)(\d{1,2})(?!\d)/;
const COMPACT = /^((?:19|20)\d{2})(\d{2})(\d{2})(?:T?\d{4,6}Z?)?$/;
const YEAR_LAST = /(?:^|[\s,])(\d{1,2})([./-])\s?(\d{1,2})\2\s?((?:19|20)\d{2})(?!\d)/;
const HALF_OF_DAY = /\d\s?[ap]\.?m\b/i;

/**
 * A date as ISO 8601: as written when it is, but for blanks; else the day it names (`1.5.2024`, `May 1, 2024`) or,
 * with a time zone, the moment. Days go before months between dots; between slashes and hyphens only what can be read
 * one way counts. Null for what is not a date. `text` is up to 100 characters.
 */
export function isoDateOf(text: string): string | null {
  if (ISO_DATE.test(text)) return text.includes(' ') ? withoutBlanks(text) : text;
  if (ONLY_YEAR.test(text)) return text;
  const [, year, month, day] = COMPACT.exec(text) ?? YEAR_FIRST.exec(text) ?? [];
  if (year !== undefined) return dayOf(Number(year), Number(month), Number(day));
  const numeric = YEAR_LAST.exec(text);
  if (numeric !== null) return dayOfNumbers(numeric, HALF_OF_DAY.test(text));
  const time = YEAR.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) return null;
  const date = new Date(time);
  // The parser makes up what is missing: a day, and a month for words it does not know.
  if (!/\d/.test(text.replace(YEAR, ''))) return MONTH.test(text) ? localDay(date).slice(0, 7) : null;
  if (/(?:Z|GMT|UTC|[+-]\d{2}:?\d{2})$/i.test(text)) return date.toISOString();
  return localDay(date);
}

/** `2024-05-01 10:00:00 +0200`, as databases write it, in the form of ISO 8601. */
function withoutBlanks(text: string): string {
  return text
    .replace(' ', 'T')
    .replace(' ', '')
    .replace(/([+-]\d{2})(\d{2})$/, '$1:$2');
}

function localDay(date: Date): string {
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Clocks of twelve hours and days after months go together. */
function dayOfNumbers(parts: RegExpExecArray, isTwelveHours: boolean): string | null {
  const [first, second, year] = [Number(parts[1]), Number(parts[3]), Number(parts[4])];
  const isDayFirst = parts[2] === '.' || first > 12;
  if (isDayFirst) return dayOf(year, second, first);
  return second > 12 || first === second || isTwelveHours ? dayOf(year, first, second) : null;
}

/** Null for a day that no month has. */
function dayOf(year: number, month: number, day: number): string | null {
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  return date.toISOString().slice(0, 10);
}
