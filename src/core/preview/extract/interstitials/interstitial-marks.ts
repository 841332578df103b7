/** Only the start of a script is looked at; challenge pages keep their settings there. */
const LOOKED_AT = 4_096;
/** Scripts of challenge pages. */
const CHALLENGE_CODE = [
  '_cf_chl_opt',
  '/cdn-cgi/challenge-platform/h/b/orchestrate/',
  '/cdn-cgi/challenge-platform/h/g/orchestrate/',
  'challenges.cloudflare.com/cdn-cgi/challenge',
  'captcha-delivery.com',
  'gokuProps',
  'sucuri_cloudproxy_js',
  '/.well-known/ddos-guard/js-challenge',
  '/.within.website/x/cmd/anubis/',
  '/sec_cpt/',
  'bm-verify',
];
/** Scripts of guarded sites, on challenge pages and ordinary ones alike. */
const GUARD_CODE = [
  '/cdn-cgi/challenge-platform/',
  '_Incapsula_Resource',
  'px-captcha',
  'awsWafCookieDomainList',
  '/.well-known/ddos-guard/',
  'KPSDK',
];

/** Does this script text or address belong to a page that tells people from programs, or to a site that may? */
export function guardOf(text: string): 'challenge' | 'guard' | null {
  const head = text.length > LOOKED_AT ? text.slice(0, LOOKED_AT) : text;
  if (CHALLENGE_CODE.some((mark) => head.includes(mark))) return 'challenge';
  return GUARD_CODE.some((mark) => head.includes(mark)) ? 'guard' : null;
}

/** Does a form send to a consent service? */
export function isConsentAddress(address: string): boolean {
  return /^https?:\/\/consent\.[a-z.-]{3,60}\//i.test(address);
}
