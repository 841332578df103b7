import { withoutDoubleEscapes, withoutLeftoverMarkup } from './leftover-markup.js';

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
