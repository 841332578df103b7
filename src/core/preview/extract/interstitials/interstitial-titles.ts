import { CHALLENGE_TITLES, DOTTED_TITLES, POSSIBLE_TITLES } from '../vocabulary/challenge-titles.js';
import { CONSENT_TITLES, LOGIN_BEGINNINGS, LOGIN_ENDS } from '../vocabulary/logins-and-consent.js';

/**
 * What a title says of a challenge: surely, as it is no other page's; likely, as such words stand beside the name of
 * a site, or whole but on other pages, too; perhaps, as such words stand beside a name.
 */
export type ToldByTitle = 'certain' | 'likely' | 'whole' | 'possible';

/** Null where a title says nothing of a challenge. */
export function challengeBy(title: string): ToldByTitle | null {
  if (isOfChallenge(title)) return 'certain';
  const parts = partsOf(title);
  if (parts.some(isOfChallenge)) return 'likely';
  const isPossible = (text: string): boolean => POSSIBLE_TITLES.has(text) || DOTTED_TITLES.has(text);
  if (isPossible(title)) return 'whole';
  return parts.some(isPossible) ? 'possible' : null;
}

function isOfChallenge(text: string): boolean {
  return CHALLENGE_TITLES.has(text) || (/(?:\.\.|…)$/.test(text) && DOTTED_TITLES.has(text));
}

/** Is it the title of a page that asks for consent to cookies? */
export function isConsentTitle(title: string): boolean {
  return partsOf(title).some((part) => CONSENT_TITLES.has(part));
}

/** Does a title, or the part beside the name of its site, begin with what login pages are called? */
export function isPlainLoginTitle(title: string): boolean {
  return partsOf(title).some((part) => LOGIN_BEGINNINGS.has(part));
}

/** Does a title begin or end with what login pages are called? */
export function isLoginTitle(title: string): boolean {
  return partsOf(title).some((part) => LOGIN_BEGINNINGS.has(part) || LOGIN_ENDS.has(part));
}

/** The title, and what stands before its first and after its last separator. */
function partsOf(title: string): string[] {
  const parts = title.split(/ [|·•:–—-] /);
  return [title, parts[0] ?? '', parts.at(-1) ?? ''];
}
