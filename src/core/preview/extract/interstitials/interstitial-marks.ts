import { alternatives } from '../alternatives.js';

/** In the scripts of challenges and nowhere else. */
const CHALLENGE_SCRIPT = new RegExp(
  alternatives(String.raw`
    _cf_chl_opt|/cdn-cgi/challenge-platform/h/[bg]/orchestrate/|captcha-delivery\.com|gokuProps|/sec_cpt/|bm-verify
    sucuri_cloudproxy_js|/\.well-known/ddos-guard/js-challenge|/\.within\.website/x/cmd/anubis/`),
);
/** In the scripts of guarded sites, on challenges and ordinary pages alike. */
const GUARD_SCRIPT =
  /\/cdn-cgi\/challenge-platform\/|_Incapsula_Resource|px-captcha|awsWafCookieDomainList|\/\.well-known\/ddos-guard\/|KPSDK/;
/** Only the start of a script is looked at; challenge pages keep their settings there. */
const LOOKED_AT = 4_096;

/** Does this script text or address belong to a page that tells people from programs, or to a site that may? */
export function guardOf(text: string): 'challenge' | 'guard' | null {
  const head = text.length > LOOKED_AT ? text.slice(0, LOOKED_AT) : text;
  if (CHALLENGE_SCRIPT.test(head)) return 'challenge';
  return GUARD_SCRIPT.test(head) ? 'guard' : null;
}

/** Does a form send to a consent service? */
export function isConsentAddress(address: string): boolean {
  return /^https?:\/\/consent\.[a-z.-]{3,60}\//i.test(address);
}
