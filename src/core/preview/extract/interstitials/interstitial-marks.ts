import { alternatives } from '../alternatives.js';
import { textIn, type Page } from '../dom/page.js';

/** In the scripts of challenges and nowhere else. */
const CHALLENGE_SCRIPT = new RegExp(
  alternatives(String.raw`
    _cf_chl_opt|/cdn-cgi/challenge-platform/h/[bg]/orchestrate/|captcha-delivery\.com|gokuProps|/sec_cpt/|bm-verify
    sucuri_cloudproxy_js|/\.well-known/ddos-guard/js-challenge|/\.within\.website/x/cmd/anubis/`),
);
/** In the scripts of guarded sites, on challenges and ordinary pages alike. */
const GUARD_SCRIPT =
  /\/cdn-cgi\/challenge-platform\/|_Incapsula_Resource|px-captcha|awsWafCookieDomainList|\/\.well-known\/ddos-guard\/|KPSDK/;
/** Of each kind of element. */
const MAX_MARKED = 1_000;
/** Challenge pages keep their settings at the start of a script. */
const MAX_SCRIPT_START = 4_096;

/** Signs of a page that is not the page asked for. */
export type Mark = 'challenge' | 'guard' | 'password' | 'consent';

/** The signs in the forms, scripts and frames of a page. */
export function marksOf(page: Page): Set<Mark> {
  const marks = new Set<Mark>();
  if (page.elements('input[type="password" i]').length > 0) marks.add('password');
  const marked = ['form', 'script', 'iframe'].flatMap((name) => page.elements(name).slice(0, MAX_MARKED));
  for (const element of marked) {
    const address = element.attribs['src'] ?? element.attribs['action'] ?? '';
    if (/^https?:\/\/consent\.[a-z.-]{3,60}\//i.test(address)) marks.add('consent');
    const code = element.name === 'script' ? textIn(element, MAX_SCRIPT_START) : '';
    for (const text of [address.slice(0, MAX_SCRIPT_START), code]) {
      if (CHALLENGE_SCRIPT.test(text)) marks.add('challenge');
      else if (GUARD_SCRIPT.test(text)) marks.add('guard');
    }
  }
  return marks;
}
