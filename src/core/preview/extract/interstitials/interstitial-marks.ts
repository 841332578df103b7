import { CHALLENGE_SCRIPTS, GUARD_SCRIPTS } from '../vocabulary/challenge-marks.js';

/** Only the start of a script is looked at; challenge pages keep their settings there. */
const LOOKED_AT = 4_096;

/** Does this script text or address belong to a page that tells people from programs, or to a site that may? */
export function guardOf(text: string): 'challenge' | 'guard' | null {
  const head = text.length > LOOKED_AT ? text.slice(0, LOOKED_AT) : text;
  if (CHALLENGE_SCRIPTS.has(head)) return 'challenge';
  return GUARD_SCRIPTS.has(head) ? 'guard' : null;
}

/** Does a form send to a consent service? */
export function isConsentAddress(address: string): boolean {
  return /^https?:\/\/consent\.[a-z.-]{3,60}\//i.test(address);
}
