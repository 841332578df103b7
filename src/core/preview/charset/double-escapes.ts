import { decodeHTMLStrict } from 'entities';

/** Escapes seen doubled in the wild; anything else is text about escapes. */
const DOUBLE_ESCAPE =
  /&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|amp|quot|apos|lt|gt|nbsp|[lr][sd]quo|[nm]dash|hellip|middot|bull|[lr]aquo|eacute|egrave|[aouAOU]uml|szlig|ccedil|agrave|reg|trade|copy);/g;
/** What they stand for belongs to the word beside it: alone, the escape itself is meant. Dashes and `&` stand alone. */
const ATTACHED = /^["'<>\u00a0]$/;
const WORD_BESIDE = /[\p{L}\p{N}]/u;
const QUOTES_BEFORE = '`\'"“‘«(';
const QUOTES_AFTER = '`\'"”’»)';

/**
 * `text` with known double escapes (`it&#39;s`) decoded once. One that is mentioned (`what does &nbsp; mean`,
 * `"&amp;"`) stays, unless others touch a word: then the whole was escaped twice.
 */
export function withoutDoubleEscapes(text: string): string {
  const escapes = [...text.matchAll(DOUBLE_ESCAPE)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    meant: decodeHTMLStrict(match[0]),
  }));
  if (escapes.length === 0) return text;
  const isAllTwice = escapes.some(({ start, end }) => isBesideWord(text, start, end));
  const parts: string[] = [];
  let from = 0;
  for (const { start, end, meant } of escapes) {
    if (isQuoted(text, start, end)) continue;
    if (!isAllTwice && ATTACHED.test(meant) && isAlone(text, start, end)) continue;
    parts.push(text.slice(from, start), meant);
    from = end;
  }
  return parts.join('') + text.slice(from);
}

/** Does the part of `text` stand between quotation marks, backticks or brackets of its own? */
export function isQuoted(text: string, start: number, end: number): boolean {
  const before = QUOTES_BEFORE.indexOf(text.charAt(start - 1) || ' ');
  return before !== -1 && text.charAt(end) === QUOTES_AFTER[before];
}

function isBesideWord(text: string, start: number, end: number): boolean {
  return WORD_BESIDE.test(text.charAt(start - 1)) || WORD_BESIDE.test(text.charAt(end));
}

function isAlone(text: string, start: number, end: number): boolean {
  return text.charAt(start - 1).trim() === '' && /^[\s,:?]?$/.test(text.charAt(end));
}
