import { decodeHTMLStrict } from 'entities';

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

export function codePoints(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    const next = unit >= 0xd800 && unit <= 0xdbff ? text.charCodeAt(at + 1) : 0;
    if (next >= 0xdc00 && next <= 0xdfff) at += 1;
    count += 1;
  }
  return count;
}

/** The first `count` code points of `text`; never half a character. */
export function firstCodePoints(text: string, count: number): string {
  if (text.length <= count) return text;
  let end = 0;
  for (let taken = 0; taken < count && end < text.length; taken += 1) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
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

const LONGEST_COMPARED = 300;
const WORD = /[\p{L}\p{N}]+/gu;
/** Scripts that put no blanks between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Share of the words of a name that another text has, 0 to 1. */
export function shareOf(words: ReadonlySet<string>, others: ReadonlySet<string>): number {
  return words.size === 0 ? 0 : [...words].filter((word) => others.has(word)).length / words.size;
}

export function beginsWith(title: ReadonlySet<string>, name: ReadonlySet<string>): boolean {
  const others = [...title];
  return name.size > 0 && [...name].every((word, at) => word === others[at]);
}

/**
 * The words of a text of up to 300 characters, in order, once each: letters and digits in any case, in scripts
 * without blanks every two characters.
 */
export function wordsOf(text: string): Set<string> {
  const words = new Set<string>();
  // One ligature may stand for eighteen letters.
  const plain = text.slice(0, LONGEST_COMPARED).normalize('NFKC').slice(0, LONGEST_COMPARED);
  for (const [run] of plain.toLowerCase().matchAll(WORD)) {
    if (run.length < 3 || !UNSPACED.test(run)) words.add(run);
    else for (let at = 0; at + 2 <= run.length; at += 1) words.add(run.slice(at, at + 2));
  }
  return words;
}

/** The lines of a list as alternatives of a regular expression. */
export function alternatives(list: string): string {
  return list.trim().replaceAll(/\s*\n\s*/g, '|');
}
