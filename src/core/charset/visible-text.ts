import { decodeHTMLStrict } from 'entities';

/** Controls, zero-width and direction marks, soft hyphens, tag characters, lone surrogates; joiners stay. */
const INVISIBLE =
  /(?![\t\n\v\f\r\u0085])\p{Cc}|[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}\p{Cs}]/gu;
const HAS_SPECIAL = /[^\u0020-\u007e]/;
const BLANKS = /[\s\u0085]+/g;
/** Escapes seen doubled in the wild; anything else is text about escapes. */
const DOUBLE_ESCAPE =
  /&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|amp|quot|apos|lt|gt|nbsp|[lr][sd]quo|[nm]dash|hellip|middot|bull|[lr]aquo|eacute|egrave|[aouAOU]uml|szlig|ccedil|agrave|reg|trade|copy);/g;
/** Tags that authors leave in descriptions; alone (`the <p> tag`) they are text. Never crosses another tag. */
const STRAY_TAG =
  /<\/?(?:p|br|b|i|u|em|strong|span|div|a|ul|ol|li|h[1-6]|img|sup|sub|small|cite|figure|blockquote)(?:[\s/][^<>]{0,500})?>/gi;

/**
 * A value as people should see it: double escapes decoded, stray tags, invisible and direction-changing
 * characters removed, blanks collapsed. `text` is what the parser decoded, or a string out of JSON.
 */
export function visibleText(text: string): string {
  let result = text;
  if (result.includes('&')) result = result.replace(DOUBLE_ESCAPE, (escape) => decodeHTMLStrict(escape));
  if (result.includes('</') || result.includes('<br')) result = result.replace(STRAY_TAG, ' ');
  if (HAS_SPECIAL.test(result)) result = result.replace(INVISIBLE, '');
  return result.replace(BLANKS, ' ').trim();
}

/** Number of code points in `text`. */
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
