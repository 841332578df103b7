import { codePoints, cutAtWord, visibleText } from '../charset/visible-text.js';
import { isoDateOf } from './text/page-date.js';

const LONGEST_TITLE = 300;
const LONGEST_DESCRIPTION = 500;
const LONGEST_NAME = 100;
/** Longest value that pruning leaves, in code points; SPEC §4.7.12. */
export const LONGEST_VALUE = 1_000;
/** What programs write for nothing. */
const NO_VALUE = /^(?:undefined|null|none|nan|\[object Object\]|n\/a|-|_|\.)$/i;
/** Of these, words that are names, too. */
const NAME_OR_NO_VALUE = /^(?:none|nan)$/i;
/** What templates leave behind when nobody filled them in. */
const MARKS = [
  String.raw`\{\{[^{}]{0,100}\}\}`,
  String.raw`\{%[^%]{0,100}%\}`,
  String.raw`<%[^%]{0,100}%>`,
  String.raw`\$\{[^{}]{0,100}\}`,
  String.raw`\{[A-Za-z][\w.:-]{0,40}\}`,
  String.raw`%%?[A-Za-z][\w.-]{1,40}%%?`,
  String.raw`\[\[[^\][]{1,100}\]\]`,
  String.raw`\$\$[^$]{1,100}\$\$`,
  String.raw`__[A-Z][A-Z_]{1,40}__`,
];
const MARK = new RegExp(MARKS.join('|'), 'g');
const SAYS_SOMETHING = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;

/** A value fit for output, or null when it says nothing. */
export type Fitting = (raw: string) => string | null;

function shown(raw: string): string | null {
  const text = visibleText(raw.length > 20_000 ? raw.slice(0, 20_000) : raw);
  return text === '' || NO_VALUE.test(text) || isUnfilled(text) ? null : text;
}

function isUnfilled(text: string): boolean {
  if (text.length > 200) return false;
  const rest = text.replace(MARK, '');
  return rest !== text && !SAYS_SOMETHING.test(rest);
}

export const asTitle: Fitting = (raw) => {
  const text = shown(raw);
  return text === null ? null : cutAtWord(text, LONGEST_TITLE);
};

/** A title or heading in the page's text, where readers see it: a word for nothing is a name there. */
export const asHeading: Fitting = (raw) => {
  const text = visibleText(raw.slice(0, 100));
  return NAME_OR_NO_VALUE.test(text) ? text : asTitle(raw);
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

/** A date as ISO 8601; null for what is no date. */
export const asDate: Fitting = (raw) => {
  const text = shown(raw.slice(0, 100));
  return text === null ? null : isoDateOf(text);
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
