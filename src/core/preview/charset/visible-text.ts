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
  const words = firstCodePoints(text, LONGEST + 1).split(/(?<=\S)(?=\s)/);
  let result = '';
  let length = 0;
  for (const word of words) {
    const wordLength = codePoints(word);
    if (length + wordLength < LONGEST) {
      result += word;
      length += wordLength;
      continue;
    }
    if (length < ENOUGH) result += word;
    break;
  }
  return `${firstCodePoints(result, LONGEST).trim()}…`;
}

/** The lines of a list as alternatives of a regular expression. */
export function alternatives(list: string): string {
  return list.trim().replaceAll(/\s*\n\s*/g, '|');
}
