import { visibleText } from '../../charset/visible-text.js';
import { DESCRIPTIONS, type Page } from '../dom/page.js';
import { alternatives } from '../alternatives.js';
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

/** How challenges speak to the visitor; straight apostrophes. Not their subjects, which ordinary texts have, too. */
const CHALLENGE_TEXT = new RegExp(
  String.raw`(?<!\p{L})(?:${alternatives(`
    permission to access|not a (?:ro)?bot|verify(?:ing)? (?:that )?you(?:'re| are)|(?:verify|confirm) your identity
    (?:solve|complete) (?:this|the) (?:captcha|security check)|checking your browser|you have been blocked
    (?:unusual|suspicious) (?:traffic|activity) (?:from|in) your|enable (?:javascript|js|cookies)
    your (?:ip|browser|connection|access) (?:has been|is|was)|security (?:service|solution) to protect
    performing security|browser will redirect|redirected (?:shortly|automatically)`)})(?!\p{L})`,
  'iu',
);
/** What challenges give visitors to complain with. */
const CHALLENGE_NUMBER =
  /(?<!\p{L})(?:(?:ray|incident|support) id|reference (?:id|#)|error 10\d\d)(?!\p{L})/iu;
const CONSENT_HOST = /^(?:consent|guce|cookiewall|myprivacy)\./i;
/** `id` may also be a language. */
const LOGIN_HOST = /^(?:login|signin|accounts|auth|sso|id)\./i;
const LOGIN_PATH =
  /\/(?:log-?in|sign-?in|authwall|users\/sign_in|oauth2?\/authorize|sso|checkpoint)(?:[/.]|$)/i;
/** Where login pages are told what to come back to. */
const RETURN_KEY = new RegExp(
  `[?&](?:${alternatives(`
    next|continue|(?:return|redirect)(?:_?(?:to|url|uri))?|redir|dest(?:ination)?|goto|back_?url|service
    session_redirect|came_from|client_id|samlrequest|relaystate|wtrealm`)})=`,
  'i',
);
/** A page with more text than this, in characters, is a page, whatever its title. */
const LITTLE_TEXT = 3_000;
/** The same for pages with a script that only challenges are known to carry. */
const LITTLE_TEXT_BESIDE_SCRIPT = 600;
const HARDLY_ANY_TEXT = 100;
/** Labels, a logo, a line at the foot. */
const TEXT_OF_A_FORM = 600;
/** How far into the text a challenge explains itself. */
const EXPLANATION = 3_000;
/** Signs beside the title that make a page a challenge, by what its title says. */
const SIGNS_NEEDED = { certain: 0, likely: 1, whole: 1, possible: 2 } as const;
const OWN_TAGS = new Set([
  'og:title',
  'og:description',
  'og:image',
  'twitter:title',
  'article:published_time',
]);
/** What one maker of challenges writes into the description of its page. */
const CHALLENGE_DESCRIPTION = 'px-captcha';

/**
 * Tells interstitials from pages by header, address, title, text and code; null when it looks like the page itself.
 * Answers with an error status never get here: their download has failed (SPEC §4.7.5).
 */
export function interstitialOf(page: Page, answer: Answer): Interstitial | null {
  if (isChallengeHeader(answer.headers)) return 'challenge';
  if (isConsentHost(answer)) return 'consent';
  if (isLogin(page, answer)) return 'login';
  if (hasOwnTags(page)) return null;
  const title = titleOf(page);
  if (isDescribed(page, title)) return null;
  if (isChallenge(page, title)) return 'challenge';
  if (page.body.textLength > LITTLE_TEXT) return null;
  return isConsentTitle(title) || (page.marks.has('consent') && title === '') ? 'consent' : null;
}

function isChallengeHeader(headers: Readonly<Record<string, string>>): boolean {
  const action = headers['x-amzn-waf-action'];
  return headers['cf-mitigated'] === 'challenge' || action === 'challenge' || action === 'captcha';
}

function isConsentHost({ address, requested }: Answer): boolean {
  return CONSENT_HOST.test(address.hostname) && requested?.hostname !== address.hostname;
}

function isChallenge(page: Page, title: string): boolean {
  const { marks } = page;
  const { textLength } = page.body;
  if (marks.has('challenge') && textLength < LITTLE_TEXT_BESIDE_SCRIPT) return true;
  // Guarded sites put these scripts into their ordinary pages, which have a title or a text.
  if (marks.has('guard') && title === '' && textLength < HARDLY_ANY_TEXT) return true;
  if (textLength > LITTLE_TEXT) return false;
  const told = challengeBy(title);
  return told !== null && signsOfChallenge(page) >= SIGNS_NEEDED[told];
}

/** How many things beside its title speak for a challenge. */
function signsOfChallenge(page: Page): number {
  const text = startOfText(page);
  const signs = [
    page.body.textLength < HARDLY_ANY_TEXT,
    CHALLENGE_TEXT.test(text),
    CHALLENGE_NUMBER.test(text),
    page.marks.has('guard'),
  ];
  return signs.filter(Boolean).length;
}

/** A login page is what was asked for, unless a redirect led there or it stands in the place of a page. */
function isLogin(page: Page, { address, requested }: Answer): boolean {
  const asked = requested ?? address;
  if (isLoginAddress(asked)) return false;
  const isForm = page.marks.has('password');
  const isOwn = hasOwnTags(page);
  const title = titleOf(page);
  const isTitled = isLoginTitle(title);
  if (!isElsewhere(address, asked)) {
    const isBare = !isOwn && !isDescribed(page, title) && page.body.textLength < TEXT_OF_A_FORM;
    return isForm && isBare && isPlainLoginTitle(title);
  }
  const isReturning = RETURN_KEY.test(address.search.slice(0, 2_000));
  if (isLoginPath(address)) return isForm || isReturning || (!isOwn && isLittleBeside(isTitled, page));
  if (isOwn || page.body.textLength > LITTLE_TEXT) return false;
  if (isForm && isTitled) return true;
  if (!LOGIN_HOST.test(address.hostname)) return false;
  const signs = [isForm, isReturning, isTitled].filter(Boolean).length;
  return isLanguage(address) ? signs > 1 && page.body.textLength < TEXT_OF_A_FORM : signs > 0;
}

/** Where an address alone speaks for a login: as little text as forms have, or hardly any without a title for it. */
function isLittleBeside(isTitled: boolean, { body: { textLength } }: Page): boolean {
  return textLength < (isTitled ? TEXT_OF_A_FORM : HARDLY_ANY_TEXT);
}

/** `id.` is where people have accounts, and Indonesian. */
function isLanguage({ hostname }: URL): boolean {
  return hostname.startsWith('id.');
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

/** Do tags say of what the page is? Interstitials and pages that lead on have none. */
export function hasOwnTags(page: Page): boolean {
  return [...OWN_TAGS].filter((key) => page.metaKeys.has(key)).length >= 2;
}

/** Does it say what it is about, which no interstitial does? */
function isDescribed({ metas, jsonLd }: Page, title: string): boolean {
  if (title === '') return false;
  if (jsonLd.length > 0) return true;
  return metas.some(({ key, content }) => {
    const text = content.trim();
    return DESCRIPTIONS.includes(key.toLowerCase()) && text !== '' && text !== CHALLENGE_DESCRIPTION;
  });
}

function startOfText({ body: { blocks } }: Page): string {
  let text = '';
  for (const block of blocks) {
    text += `${block.text} `;
    if (text.length > EXPLANATION) break;
  }
  return text.slice(0, EXPLANATION).replaceAll('’', "'");
}

function titleOf(page: Page): string {
  return visibleText((page.headings('title')[0] ?? '').slice(0, 300));
}
