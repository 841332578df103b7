import { codePoints, visibleText, alternatives } from '../charset/visible-text.js';

const MAX_KEY_LENGTH = 50;
/** Bounds of what a preview answers with (SPEC §4.7.12): code points of a value, properties, bytes of JSON. */
export const MAX_VALUE_LENGTH = 1_000;
const MAX_PROPERTIES = 200;
export const MAX_BYTES = 65_536;

/** Open Graph properties in order of output: a string, an integer, or null; SPEC §2.3. */
export type OpenGraph = Map<string, string | number | null>;

/** What a precedence list makes of a page's candidates. */
export interface Choice {
  /** Without `og:image`; `og:title` and `og:description` are always there, null when nothing was found. */
  readonly openGraph: OpenGraph;
  /** Which tag or text gave which key, for operators. */
  readonly origins: ReadonlyMap<string, string>;
  /** Image candidates, best first: absolute http(s) addresses and data URLs. */
  readonly images: readonly string[];
  /** Addresses of JSON oEmbed answers the page announces, absolute or data URLs. */
  readonly oembedUrls: readonly string[];
}

/**
 * Removes what SPEC §4.7.12 forbids: keys longer than 50 and values whose text is longer than 1000 code points;
 * then what lies beyond 200 properties or 64 kB of JSON. `dropped` names the removed keys, in order.
 */
export function pruneOpenGraph(og: OpenGraph): { kept: OpenGraph; dropped: string[] } {
  const kept: OpenGraph = new Map();
  const dropped: string[] = [];
  let bytes = 2;
  for (const [key, value] of og) {
    const size = isTooLong(key, value) ? Infinity : Buffer.byteLength(JSON.stringify([key, value]));
    if (kept.size >= MAX_PROPERTIES || bytes + size > MAX_BYTES) {
      dropped.push(key);
      continue;
    }
    bytes += size;
    kept.set(key, value);
  }
  return { kept, dropped };
}

/** Is a property longer than SPEC §4.7.12 allows? */
export function isTooLong(key: string, value: string | number | null): boolean {
  return codePoints(key) > MAX_KEY_LENGTH || codePoints(String(value)) > MAX_VALUE_LENGTH;
}

const PLAIN_INTEGER = /^\d{1,9}$/;
const SIZE_KEY = /:(?:width|height)$/;

/** `value` as the type its key has: widths and heights are integers, null when they are not; others stay text. */
export function typedValue(key: string, value: string): string | number | null {
  if (!SIZE_KEY.test(key)) return value;
  const digits = value.trim();
  return PLAIN_INTEGER.test(digits) ? Number(digits) : null;
}

/** Longest value that pruning leaves, in code points; SPEC §4.7.12. */
const LONGEST_VALUE = 1_000;
/** A longer name that nobody stated as one is a text. */
const LONGEST_FOUND_NAME = 100;
/** Of longer ones nothing is left to read. */
const LONGEST_READ = 20_000;
/** Of the words for nothing those that are names, too. */
const NAME_OR_NO_VALUE = /^(?:none|nan)$/i;
const NO_NAME = /^(?:(?:https?:)?\/\/|www\.|@\S+$)/i;
/** What programs write for nothing. */
const EMPTY = /^(?:undefined|null|none|nan|\[object Object\]|n\/a|[-_.])$/i;
/** What templates leave behind when nobody filled them in. */
const TEMPLATE_MARK = new RegExp(
  alternatives(String.raw`
    \{\{[^{}]{0,100}\}\}|\{%[^%]{0,100}%\}|<%[^%]{0,100}%>|\$\{[^{}]{0,100}\}|\{[A-Za-z][\w.:-]{0,40}\}
    %%?[A-Za-z][\w.-]{1,40}%%?|\[\[[^\]\[]{1,100}\]\]|\$\$[^$]{1,100}\$\$|__[A-Z][A-Z_]{1,40}__`),
  'giu',
);
const BYLINE_WORD = /^(?:(?:written |posted )?by|von|par|por|di|door|av|af)(?:\s+|:\s*|$)/i;
/** What sites write around an author's name, and no name holds. */
const NO_AUTHOR = new RegExp(
  String.raw`(?<!\p{L})(?:follow|subscribe(?: to)?|view (?:all|more|profile)|more (?:by|from|about)|about the authors?|` +
    'all (?:posts|articles|stories)|share this|sign up|log in|read more|min(?:ute)? read|comments|' +
    String.raw`related articles?)(?!\p{L})`,
  'iu',
);
const SAYS_SOMETHING = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;

/** A value fit for output, or null when it says nothing. */
export type Fitting = (raw: string) => string | null;

/** A value as it is, but for what nobody sees. None that pruning would remove: a shorter one may take its place. */
export const asText: Fitting = (raw) => {
  if (raw.length > LONGEST_READ) return null;
  const text = visibleText(raw);
  if (text === '' || EMPTY.test(text) || isUnfilled(text)) return null;
  return codePoints(text) > LONGEST_VALUE ? null : text;
};

/** A value that only pruning removes, because it is too long; null for any other. */
export const asOverlong: Fitting = (raw) => {
  if (raw.length > LONGEST_READ) return raw;
  const text = visibleText(raw);
  return codePoints(text) > LONGEST_VALUE ? text : null;
};

function isUnfilled(text: string): boolean {
  if (text.length > 200) return false;
  const rest = text.replaceAll(TEMPLATE_MARK, '');
  return rest !== text && !SAYS_SOMETHING.test(rest);
}

/** A title or heading in the page's text, where readers see it: a word for nothing is a name there. */
export const asHeading: Fitting = (raw) => {
  const text = visibleText(raw.slice(0, 100));
  return NAME_OR_NO_VALUE.test(text) ? text : asText(raw);
};

/** Schemes that run what they hold or open what is the client's own; all others pass as stated. */
// oxlint-disable-next-line no-control-regex -- URL parsers skip them, too
const EXECUTING = /^[\0-\x20]*(?:javascript|data|vbscript|file|blob):/i;

/** The value of a tag that passes as it is, null where it says nothing or a client must not open it. */
export function passingValue(key: string, raw: string): string | number | null {
  const text = asText(raw);
  return text === null || isUnsafe(key, raw) ? null : typedValue(key, text);
}

/** `og:url` is for clients to judge, and texts may begin as they like. */
const NOT_OPENED = /^og:(?:url|title|description|site_name|image:alt)$/;

/** Whether a client that opened it would run it, or open what is its own; URL parsers overlook tabs and line ends. */
export function isUnsafe(key: string, value: string): boolean {
  return !NOT_OPENED.test(key) && EXECUTING.test(value.replaceAll(/[\t\n\r]/g, ''));
}

/** A name of a person or a site: neither a handle nor an address. */
export const asName: Fitting = (raw) => {
  const text = asText(raw);
  if (text === null || NO_NAME.test(text)) return null;
  return /[\p{L}\p{N}]/u.test(text) ? text : null;
};

/** An author's name without the word before it; null for what sites write around names. */
export const asAuthor: Fitting = (raw) => {
  const name = asName(raw);
  const plain = name === null ? '' : name.replace(BYLINE_WORD, '');
  return plain === '' || NO_AUTHOR.test(plain) ? null : plain;
};

/** The same of an element that may hold more than a name. */
export const asFoundAuthor: Fitting = (raw) => {
  const name = asAuthor(raw);
  return name === null || codePoints(name) > LONGEST_FOUND_NAME ? null : name;
};

const MOST_WORDS_OF_A_NAME = 8;

/** The first line of a byline that can be a name: few words, no digits (dates, counts), no address. */
export const asByline: Fitting = (raw) => {
  for (const line of raw.split(/[\n|•·]/).slice(0, 20)) {
    const name = asFoundAuthor(line);
    if (name === null || /[\d*@:/]/.test(name)) continue;
    if (name.split(' ').length <= MOST_WORDS_OF_A_NAME) return name;
  }
  return null;
};

/** A date as ISO 8601; null for what is not a date. */
export const asDate: Fitting = (raw) => {
  const text = asText(raw.slice(0, 100));
  return text === null ? null : isoDateOf(text);
};

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
function isoDateOf(text: string): string | null {
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
