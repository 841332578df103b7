import { codePoints, cutAtWord, visibleText } from '../charset/visible-text.js';

const LONGEST_TITLE = 300;
const LONGEST_DESCRIPTION = 500;
const LONGEST_NAME = 100;
/** Longest value that pruning leaves, in code points; SPEC §4.7.12. */
export const LONGEST_VALUE = 1_000;
/** What templates leave behind when nobody filled them in. */
const PLACEHOLDER = /^(?:undefined|null|none|nan|\[object Object\]|n\/a|-|_|\.)$|^[{%<$]{2}.*[}%>]{2}$/i;

/** A value fit for output, or null when it says nothing. */
export type Fitting = (raw: string) => string | null;

function shown(raw: string): string | null {
  const text = visibleText(raw.length > 20_000 ? raw.slice(0, 20_000) : raw);
  return text === '' || PLACEHOLDER.test(text.slice(0, 200)) ? null : text;
}

export const asTitle: Fitting = (raw) => {
  const text = shown(raw);
  return text === null ? null : cutAtWord(text, LONGEST_TITLE);
};

export const asDescription: Fitting = (raw) => {
  const text = shown(raw);
  return text === null ? null : cutAtWord(text, LONGEST_DESCRIPTION);
};

export const asText: Fitting = (raw) => {
  const text = shown(raw);
  return text === null ? null : cutAtWord(text, LONGEST_VALUE);
};

/** A name of a person or a site: short, and no address. */
export const asName: Fitting = (raw) => {
  const text = shown(raw);
  if (text === null || codePoints(text) > LONGEST_NAME || /^(?:https?:)?\/\//i.test(text)) return null;
  return /[\p{L}\p{N}]/u.test(text) ? text : null;
};

const BY = /^(?:by|written by|posted by|von|par|por|di|door|av|af)(?:\s+|:\s*|$)/i;

/** An author's name without the word before it. */
export const asAuthor: Fitting = (raw) => {
  const name = asName(raw);
  const plain = name?.replace(BY, '') ?? '';
  return plain === '' ? null : plain;
};

const MOST_WORDS_OF_A_NAME = 8;

/** The first line of a byline that can be a name: few words, no digits (dates, counts), no address. */
export const asByline: Fitting = (raw) => {
  for (const line of raw.split(/[\n|•·]/).slice(0, 20)) {
    const name = asAuthor(line);
    if (name === null || /[\d*@:/]/.test(name)) continue;
    if (name.split(' ').length <= MOST_WORDS_OF_A_NAME) return name;
  }
  return null;
};

const ISO_DATE =
  /^\d{4}-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?\s?(?:Z|[+-]\d{2}:?\d{2})?)?)?$/i;
const SOME_DATE = /\b(?:19|20)\d{2}\b/;

/** A date as ISO 8601: as written when it is, else the day it names; null for what is no date. */
export const asDate: Fitting = (raw) => {
  const text = shown(raw.slice(0, 100));
  if (text === null) return null;
  if (ISO_DATE.test(text)) return text;
  const slashed = /^(\d{4})\/(\d{1,2})\/(\d{1,2})$/.exec(text);
  const time = SOME_DATE.test(text) || slashed !== null ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) return null;
  if (/(?:Z|GMT|UTC|[+-]\d{2}:?\d{2})$/i.test(text)) return new Date(time).toISOString();
  const date = new Date(time);
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
};

/** A language as Open Graph writes it: `en`, `de_AT`; RFC 5646 tags are accepted. */
export const asLocale: Fitting = (raw) => {
  const text = shown(raw.slice(0, 100))?.split(/[,;]/, 1)[0]?.trim() ?? '';
  const parts = /^([a-z]{2,3})(?:[-_]([a-z]{4}))?(?:[-_]([a-z]{2}|\d{3}))?$/i.exec(text);
  if (parts === null) return null;
  const language = parts[1]?.toLowerCase() ?? '';
  const region = parts[3]?.toUpperCase();
  return region === undefined ? language : `${language}_${region}`;
};
