import { visibleText } from '../../charset/visible-text.js';
import type { Candidates } from '../pass/candidates.js';
import { challengeBy, isConsentTitle, isLoginTitle, isPlainLoginTitle } from './interstitial-titles.js';

/** Why a page is not the page asked for: proof of being human, consent to cookies, or a login. */
export type Interstitial = 'challenge' | 'consent' | 'login';

/** What is known of the answer that brought a page. */
export interface Answer {
  readonly address: URL;
  /**
   * Address first asked for, when the caller knows it; only a redirect makes a login page with tags an interstitial.
   */
  readonly requested: URL | null;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

const LOGIN_PATH =
  /\/(?:log-?in|sign-?in|authwall|accounts\/login|users\/sign_in|oauth2?\/authorize|sso|checkpoint)(?:[/.]|$)/i;
const LOGIN_HOST = /^(?:login|signin|accounts|auth|sso|id)\./i;
/** Where login pages are told what to come back to. */
const RETURN_KEYS =
  /[?&](?:next|continue|return|return_?(?:to|url|uri)|redirect(?:_?(?:to|url|uri))?|redir|dest(?:ination)?|goto|back_?url|service|session_redirect|came_from|client_id|samlrequest|relaystate|wtrealm)=/i;
const CONSENT_HOST = /^(?:consent|guce|cookiewall|myprivacy|privacygate|privacy-gate)\./i;
/** A page with more text than this, in characters, is a page, whatever its title. */
const LITTLE_TEXT = 3_000;
/** The same for pages with a script that only challenges are known to carry. */
const LITTLE_TEXT_BESIDE_SCRIPT = 600;
const HARDLY_ANY_TEXT = 100;
/** Labels, a logo, a line at the foot. */
const TEXT_OF_A_FORM = 600;
/** How far into the text a challenge explains itself. */
const EXPLANATION = 3_000;
/** How challenges explain themselves. */
const CHALLENGE_TEXT =
  /\bray id\b|\bincident id\b|\bsupport id\b|\breference (?:id|#)|\berror 10\d\d\b|permission to access|captcha|not a (?:ro)?bot\b|you(?:'re| are) (?:not )?(?:a )?(?:human|robot|bot)\b|verify(?:ing)? (?:that )?you|checking your browser|unusual (?:traffic|activity)|automated (?:access|queries|traffic|requests)|enable (?:javascript|js\b|cookies)|your (?:ip|browser|request|connection|access)\b|(?:have|has) been blocked|security (?:service|solution|verification)|performing security|ddos|cloudflare|browser will redirect|redirected (?:shortly|automatically)/i;
const OWN_TAGS = new Set([
  'og:title',
  'og:description',
  'og:image',
  'twitter:title',
  'article:published_time',
]);
const DESCRIPTIONS = new Set(['description', 'og:description', 'twitter:description']);
/** What one maker of challenges writes into the description of its page. */
const CHALLENGE_DESCRIPTION = 'px-captcha';

/**
 * Tells interstitials from pages by header, address, title, text and code; null when it looks like the page itself.
 * Answers with an error status never get here: their download has failed (SPEC §4.7.5).
 */
export function interstitialOf(found: Candidates, answer: Answer): Interstitial | null {
  if (isChallengeHeader(answer.headers)) return 'challenge';
  if (isConsentHost(answer)) return 'consent';
  if (isLogin(found, answer)) return 'login';
  if (hasOwnTags(found)) return null;
  const title = titleOf(found);
  if (isDescribed(found, title)) return null;
  if (isChallenge(found, title)) return 'challenge';
  if (found.textLength > LITTLE_TEXT) return null;
  return isConsentTitle(title) || (found.marks.has('consent') && title === '') ? 'consent' : null;
}

function isChallengeHeader(headers: Readonly<Record<string, string>>): boolean {
  const action = headers['x-amzn-waf-action'];
  return headers['cf-mitigated'] === 'challenge' || action === 'challenge' || action === 'captcha';
}

function isConsentHost({ address, requested }: Answer): boolean {
  return CONSENT_HOST.test(address.hostname) && requested?.hostname !== address.hostname;
}

function isChallenge(found: Candidates, title: string): boolean {
  const { marks, textLength } = found;
  if (marks.has('challenge') && textLength < LITTLE_TEXT_BESIDE_SCRIPT) return true;
  // Guarded sites put these scripts into their ordinary pages, which have a title or a text.
  if (marks.has('guard') && title === '' && textLength < HARDLY_ANY_TEXT) return true;
  if (textLength > LITTLE_TEXT) return false;
  const told = challengeBy(title);
  if (told !== 'possible') return told === 'certain';
  return textLength < HARDLY_ANY_TEXT || CHALLENGE_TEXT.test(startOfText(found));
}

/** A login page is what was asked for, unless a redirect led there or it stands in the place of a page. */
function isLogin(found: Candidates, { address, requested }: Answer): boolean {
  const asked = requested ?? address;
  if (isLoginAddress(asked)) return false;
  const isForm = found.marks.has('password');
  const isOwn = hasOwnTags(found);
  const title = titleOf(found);
  const isTitled = isLoginTitle(title);
  if (!isElsewhere(address, asked)) {
    const isBare = !isOwn && !isDescribed(found, title) && found.textLength < TEXT_OF_A_FORM;
    return isForm && isBare && isPlainLoginTitle(title);
  }
  const isReturning = RETURN_KEYS.test(address.search.slice(0, 2_000));
  if (isLoginPath(address)) return isForm || isReturning || (!isOwn && found.textLength < LITTLE_TEXT);
  if (isOwn || found.textLength > LITTLE_TEXT) return false;
  if (LOGIN_HOST.test(address.hostname)) return isForm || isReturning || isTitled;
  return isForm && isTitled;
}

/** Was a page asked for and another one given? Not by https, `www.` or a fragment alone. */
function isElsewhere(address: URL, asked: URL): boolean {
  const plain = ({ host, pathname, search }: URL): string =>
    `${host.replace(/^www\./, '')}${pathname}${search}`;
  return plain(address) !== plain(asked);
}

function isLoginAddress(address: URL): boolean {
  return isLoginPath(address) || LOGIN_HOST.test(address.hostname);
}

function isLoginPath(address: URL): boolean {
  return LOGIN_PATH.test(address.pathname.slice(0, 500));
}

function hasOwnTags(found: Candidates): boolean {
  return [...OWN_TAGS].filter((key) => found.metaKeys.has(key)).length >= 2;
}

/** Does it say what it is about, which no interstitial does? */
function isDescribed({ metas, jsonLd }: Candidates, title: string): boolean {
  if (title === '') return false;
  if (jsonLd.length > 0) return true;
  return metas.some(({ key, content }) => {
    const text = content.trim();
    return DESCRIPTIONS.has(key.toLowerCase()) && text !== '' && text !== CHALLENGE_DESCRIPTION;
  });
}

function startOfText({ blocks }: Candidates): string {
  let text = '';
  for (const block of blocks) {
    text += `${block.text} `;
    if (text.length > EXPLANATION) break;
  }
  return text.slice(0, EXPLANATION).replaceAll('’', "'");
}

function titleOf(found: Candidates): string {
  return visibleText((found.headings.get('title')?.[0] ?? '').slice(0, 300));
}
