import {
  COOKIE_IDEOGRAPHS,
  COOKIE_PHRASES,
  COOKIE_PRONOUNS,
  PARTNER_OWNERS,
  PRIVACY_PHRASES,
  PRIVACY_TITLES,
} from '../vocabulary/cookie-notices.js';
import {
  BROWSER_NOTICES,
  RIGHTS_NOTICES,
  SCRIPT_NOTICES,
  VISITOR_NOTICES,
} from '../vocabulary/site-notices.js';

/** A notice says what it is at its start. */
const LOOKED_AT = 400;
/** A longer text is no line at the foot of a page. */
const LONGEST_FOOT = 250;
/** Words that one of each needs, in lower case: much cheaper to look for, and most texts have none. */
const WORDS = {
  rights: ['©', '(c)', 'copyright', 'rights reserved', 'rechte vorbehalten'],
  browser: ['browser', 'navigateur'],
  script: ['script'],
  cookies: ['cookie', 'partner', 'vendor', 'partenaire', 'socios', 'privacy', 'on a device'],
};
const COOKIES = [COOKIE_PRONOUNS, COOKIE_PHRASES, COOKIE_IDEOGRAPHS, PARTNER_OWNERS, PRIVACY_PHRASES];

/**
 * Is a text one that sites write on all their pages: about cookies, the browser, the visitor, their rights?
 * What a page on privacy, by its `title`, says of cookies is its text.
 */
export function isBoilerplate(text: string, title: string | null): boolean {
  const head = text.slice(0, LOOKED_AT);
  const plain = head.toLowerCase();
  const has = (words: readonly string[]): boolean => words.some((word) => plain.includes(word));
  if (text.length <= LONGEST_FOOT && has(WORDS.rights) && RIGHTS_NOTICES.has(head)) return true;
  if (has(WORDS.browser) && BROWSER_NOTICES.has(head)) return true;
  if ((has(WORDS.script) && SCRIPT_NOTICES.has(head)) || VISITOR_NOTICES.has(head)) return true;
  if (!has(WORDS.cookies) || !COOKIES.some((notices) => notices.has(head))) return false;
  return !PRIVACY_TITLES.has((title ?? '').slice(0, LOOKED_AT));
}
