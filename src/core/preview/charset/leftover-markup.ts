import { decodeHTMLStrict } from 'entities';

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
export function withoutDoubleEscapes(text: string): string {
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
export function withoutLeftoverMarkup(text: string): string {
  const isMarkedUp = SIGNS.some((sign) => sign.test(text)) || (BREAK.test(text) && !ABOUT_MARKUP.test(text));
  if (!isMarkedUp) return text;
  return text.replaceAll(TAG, (tag, name: string, start: number) => {
    if (isQuoted(text, start, start + tag.length)) return tag;
    return IS_INLINE.test(name) ? '' : ' ';
  });
}
