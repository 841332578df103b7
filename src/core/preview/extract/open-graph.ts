import { codePoints, visibleText, alternatives } from '../charset/visible-text.js';

const MAX_KEY_LENGTH = 50;
/** Bounds of what a preview answers with (SPEC §4.7.12): code points of a value, properties, bytes of JSON. */
const MAX_VALUE_LENGTH = 1_000;
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

/** Of longer ones nothing is left to read. */
const LONGEST_READ = 20_000;
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
const SAYS_SOMETHING = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;

/** A value fit for output, or null when it says nothing. */
export type Fitting = (raw: string) => string | null;

/** A value as it is, but for what nobody sees. None that pruning would remove: a shorter one may take its place. */
export const asText: Fitting = (raw) => {
  if (raw.length > LONGEST_READ) return null;
  const text = visibleText(raw);
  if (text === '' || EMPTY.test(text) || isUnfilled(text)) return null;
  return codePoints(text) > MAX_VALUE_LENGTH ? null : text;
};

/** A value that only pruning removes, because it is too long; null for any other. */
export const asOverlong: Fitting = (raw) => {
  if (raw.length > LONGEST_READ) return raw;
  const text = visibleText(raw);
  return codePoints(text) > MAX_VALUE_LENGTH ? text : null;
};

function isUnfilled(text: string): boolean {
  if (text.length > 200) return false;
  const rest = text.replaceAll(TEMPLATE_MARK, '');
  return rest !== text && !SAYS_SOMETHING.test(rest);
}

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
