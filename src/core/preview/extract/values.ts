import { decodeHTMLStrict } from 'entities';

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

/**
 * Controls, zero-width and direction marks, soft hyphens, lone surrogates, tag characters but those of a flag (the
 * group); joiners stay.
 */
const INVISIBLE =
  /(\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f})|(?![\t\n\v\f\r\u0085])\p{Cc}|[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}\p{Cs}]/gu;
const HAS_SPECIAL = /[^\u0020-\u007e]/;
const BLANKS = /[\s\u0085]+/g;

/**
 * A value as people should see it: double escapes decoded, leftover tags, invisible and direction-changing
 * characters removed, blanks collapsed. `text` is what the parser decoded, or a string out of JSON.
 */
export function visibleText(text: string): string {
  let result = text;
  if (result.includes('&')) result = withoutDoubleEscapes(result);
  if (result.includes('<')) result = withoutLeftoverMarkup(result);
  if (HAS_SPECIAL.test(result)) result = result.replace(INVISIBLE, '$1');
  return result.replace(BLANKS, ' ').trim();
}

const PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;

export function codePoints(text: string): number {
  return text.length - (text.match(PAIR)?.length ?? 0);
}

/** The first `count` code points of `text`; never half a character. */
export function firstCodePoints(text: string, count: number): string {
  if (text.length <= count) return text;
  return Array.from(text.slice(0, 2 * count))
    .slice(0, count)
    .join('');
}

/**
 * `text` cut to at most `count` code points including one ellipsis, at the end of a word where a word ends in
 * its second half, else in the middle of it (scripts without blanks).
 */
export function cutAtWord(text: string, count: number): string {
  if (text.length <= count || codePoints(text) <= count) return text;
  const head = firstCodePoints(text, count - 1);
  const blank = head.lastIndexOf(' ');
  const whole = text[head.length] === ' ' || blank < head.length / 2 ? head : head.slice(0, blank);
  return `${whole.trimEnd()}…`;
}

/** Escapes seen doubled in the wild; anything else is text about escapes. */
const DOUBLE_ESCAPE =
  /&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|amp|quot|apos|lt|gt|nbsp|[lr][sd]quo|[nm]dash|hellip|middot|bull|[lr]aquo|eacute|egrave|[aouAOU]uml|szlig|ccedil|agrave|reg|trade|copy);/g;

/** Alone they are what a text is about, not what it is written with. */
const MENTIONED = /^&(?:quot|apos|lt|gt|nbsp);$/;
const BESIDE_WORD = /[\p{L}\p{N}]&[#\w]{1,9};|&[#\w]{1,9};[\p{L}\p{N}]/u;

/** `text` with known double escapes (`it&#39;s`) decoded once. */
function withoutDoubleEscapes(text: string): string {
  const isAllTwice = BESIDE_WORD.test(text);
  return text.replaceAll(DOUBLE_ESCAPE, (escape) =>
    isAllTwice || !MENTIONED.test(escape) ? decodeHTMLStrict(escape) : escape,
  );
}

const INLINE = 'b|i|u|s|em|strong|span|a|sup|sub|small|cite|font|code|mark';
const PAIRED = `${INLINE}|p|div|ul|ol|li|h[1-6]|figure|blockquote|center`;
/** Tags that authors leave in texts. Never crosses another tag. */
const TAG = new RegExp(`</?(${PAIRED}|br|img)(?:\\s[^<>]{0,500}|/)?>`, 'gi');
const IS_INLINE = new RegExp(`^(?:${INLINE})$`, 'i');
/** Text that begins or ends with a tag, or is broken by one; tags in the midst of a sentence are what it is about. */
const MARKED_UP = new RegExp(
  `^\\s*<(?:${PAIRED}|img)(?:\\s[^<>]{0,500})?>\\s*[^\\sa-z]|[^\\s\`'"“(]</(?:${PAIRED})>\\s*$|\\S\\s{0,9}<br\\s{0,9}/?>\\s{0,9}\\S`,
  'u',
);
/** Words of texts about markup. */
const ABOUT_MARKUP = /\b(?:html|xml|css|jsx|tags?|elements?|attributes?|markup)\b/i;

/** `text` without the tags its author or their tools left in it: inline tags leave nothing behind, others a blank. */
function withoutLeftoverMarkup(text: string): string {
  if (!MARKED_UP.test(text) || ABOUT_MARKUP.test(text)) return text;
  return text.replaceAll(TAG, (_tag, name: string) => (IS_INLINE.test(name) ? '' : ' '));
}

/** A paragraph of this width says something; shorter ones are bylines, dates and captions. */
export const SUBSTANTIAL = 80;

/** Ideographs, kana and Hangul say as much as two or three letters. */
const WIDE = /[\u1100-\u115f\u2e80-\u303e\u3041-\u9fff\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\uff01-\uff60]/g;
const WIDE_CHARACTER = 2.5;
const HAS_WIDE = /[\u1100-\uffff]/;

/** How much a text says, in letters: its code points, those of East Asian scripts two and a half times. */
export function textWidth(text: string): number {
  const count = codePoints(text);
  if (!HAS_WIDE.test(text)) return count;
  return count + (text.match(WIDE)?.length ?? 0) * (WIDE_CHARACTER - 1);
}

/** Of a summary. */
const ENOUGH = 200;
const LONGEST = 500;
const LINE_BLANKS = /[\t \r\n]+/g;

/**
 * A description made of running text: paragraphs are added until 200 code points are reached, joined by blank
 * lines, and cut at a word before 500 with an ellipsis. Blank paragraphs do not count. Null when nothing is left.
 */
export function summarizeText(paragraphs: Iterable<string>): string | null {
  let text = '';
  let length = 0;
  for (const paragraph of paragraphs) {
    if (length >= ENOUGH) break;
    const line = paragraph.replace(LINE_BLANKS, ' ').trim();
    if (line === '') continue;
    text += `${line}\n\n`;
    length += codePoints(line) + 2;
  }
  const joined = text.trim();
  if (joined === '') return null;
  return codePoints(joined) > LONGEST ? cut(joined) : joined;
}

/** Whole words below 500; a word that is too long for that is split only when little stands before it. */
function cut(text: string): string {
  const head = firstCodePoints(text, LONGEST);
  const words = /^[^]*\S(?=\s)/.exec(head)?.[0] ?? '';
  return `${(codePoints(words) < ENOUGH ? head : words).trim()}…`;
}

/** The lines of a list as alternatives of a regular expression. */
export function alternatives(list: string): string {
  return list.trim().replaceAll(/\s*\n\s*/g, '|');
}
