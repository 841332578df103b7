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
/** What they stand for belongs to the word beside it: alone, the escape itself is meant. Dashes and `&` stand alone. */
const ATTACHED = /^["'<>\u00a0]$/;
const WORD_BESIDE = /[\p{L}\p{N}]/u;

/**
 * `text` with known double escapes (`it&#39;s`) decoded once. One that is mentioned (`what does &nbsp; mean`,
 * `"&amp;"`) stays, unless others touch a word: then the whole was escaped twice.
 */
function withoutDoubleEscapes(text: string): string {
  const isAllTwice = [...text.matchAll(DOUBLE_ESCAPE)].some(
    ({ 0: escape, index }) =>
      WORD_BESIDE.test(text.charAt(index - 1)) || WORD_BESIDE.test(text.charAt(index + escape.length)),
  );
  return text.replaceAll(DOUBLE_ESCAPE, (escape, start: number) => {
    const end = start + escape.length;
    const meant = decodeHTMLStrict(escape);
    const isAlone = text.charAt(start - 1).trim() === '' && /^[\s,:?]?$/.test(text.charAt(end));
    const isMentioned = !isAllTwice && isAlone && ATTACHED.test(meant);
    return isMentioned || isQuoted(text, start, end) ? escape : meant;
  });
}

/** Does the part of `text` stand between quotation marks, backticks or brackets of its own? */
function isQuoted(text: string, start: number, end: number): boolean {
  const before = '`\'"“‘«('.indexOf(text.charAt(start - 1) || ' ');
  return before !== -1 && text.charAt(end) === '`\'"”’»)'[before];
}

const INLINE = 'b|i|u|s|em|strong|span|a|sup|sub|small|cite|font|code|mark';
const PAIRED = `${INLINE}|p|div|ul|ol|li|h[1-6]|figure|blockquote|center`;
/** Tags that authors leave in texts. Never crosses another tag. */
const TAG = new RegExp(`</?(${PAIRED}|br|img)(?:\\s[^<>]{0,500}|/)?>`, 'gi');
const IS_INLINE = new RegExp(`^(?:${INLINE})$`, 'i');
/** Signs of a text that is marked up: tags that a sentence about tags does not put there. */
const SIGNS = [
  // Where it begins: a tag, and behind it the beginning of a sentence, or a tag with attributes.
  new RegExp(
    `^\\s*<(?:${PAIRED}|${PAIRED.toUpperCase()})(?:\\s[^<>]{0,500})?>[\\p{Lu}\\p{Lo}\\p{N}\\p{Pi}"'<]`,
    'u',
  ),
  new RegExp(`^\\s*<(?:${PAIRED})\\s[^<>=]{1,500}=[^<>]{1,500}>\\s*\\S`, 'i'),
  // Where it ends.
  new RegExp(`[^\\s\`('"“]</(?:${PAIRED})>\\s*$`, 'i'),
  // Around a word or more.
  new RegExp(`<(${INLINE})(?:\\s[^<>]{0,500})?>(?=\\S)[^<>]{0,500}(?<=\\S)</\\1>`, 'i'),
  /<img\s[^<>]{0,500}=/i,
];
const BREAK = /\S\s*<br\s*\/?>\s*\S/i;
/** Words of texts about markup, in which a break may be mentioned. */
const ABOUT_MARKUP = /\b(?:html|xml|css|jsx|tags?|elements?|attributes?|markup)\b/i;

/**
 * `text` without the tags its author or their tools left in it. A text that mentions tags (`the <p> tag`,
 * `<br>: the line break`) keeps them. Inline tags leave nothing behind, others a blank.
 */
function withoutLeftoverMarkup(text: string): string {
  const isMarkedUp = SIGNS.some((sign) => sign.test(text)) || (BREAK.test(text) && !ABOUT_MARKUP.test(text));
  if (!isMarkedUp) return text;
  return text.replaceAll(TAG, (tag, name: string, start: number) => {
    if (isQuoted(text, start, start + tag.length)) return tag;
    return IS_INLINE.test(name) ? '' : ' ';
  });
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
