/** Only the start of a script is looked at; challenge pages keep their settings there. */
const LOOKED_AT = 4_096;
const CHALLENGE_CODE = [
  '_cf_chl_opt',
  '/cdn-cgi/challenge-platform/h/',
  'challenges.cloudflare.com/cdn-cgi/challenge',
  'captcha-delivery.com',
  '_Incapsula_Resource',
  'px-captcha',
  'awsWafCookieDomainList',
  'gokuProps',
  'sucuri_cloudproxy_js',
  '/.well-known/ddos-guard/',
  '/sec_cpt/',
];

/** Is this script text or address part of a page that tells people from programs? */
export function isChallengeCode(text: string): boolean {
  const head = text.length > LOOKED_AT ? text.slice(0, LOOKED_AT) : text;
  return CHALLENGE_CODE.some((mark) => head.includes(mark));
}

/** Does a form send to a consent service? */
export function isConsentAddress(address: string): boolean {
  return /^https?:\/\/consent\.[a-z.-]{3,60}\//i.test(address);
}
