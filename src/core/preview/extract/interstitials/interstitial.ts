import { visibleText } from '../../charset/visible-text.js';
import { DESCRIPTIONS, type Page } from '../dom/page.js';
import { alternatives } from '../alternatives.js';
import { marksOf, type Mark } from './interstitial-marks.js';
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
const OWN_TAGS = ['og:title', 'og:description', 'og:image', 'twitter:title', 'article:published_time'];
/** What one maker of challenges writes into the description of its page. */
const CHALLENGE_DESCRIPTION = 'px-captcha';

/** What is looked at of a page, read once. */
interface Facts {
  readonly title: string;
  readonly textLength: number;
  readonly marks: ReadonlySet<Mark>;
  readonly hasOwnTags: boolean;
  /** Does it say what it is about, which no interstitial does? */
  readonly isDescribed: boolean;
}

/**
 * Tells interstitials from pages by header, address, title, text and code; null when it looks like the page itself.
 * Answers with an error status never get here: their download has failed (SPEC §4.7.5).
 */
export function interstitialOf(page: Page, answer: Answer): Interstitial | null {
  if (isChallengeHeader(answer.headers)) return 'challenge';
  const { hostname } = answer.address;
  if (CONSENT_HOST.test(hostname) && answer.requested?.hostname !== hostname) return 'consent';
  const facts = factsOf(page);
  if (isLogin(facts, answer)) return 'login';
  if (facts.hasOwnTags || facts.isDescribed) return null;
  if (isChallenge(facts, page)) return 'challenge';
  const { title, marks, textLength } = facts;
  if (textLength > LITTLE_TEXT) return null;
  return isConsentTitle(title) || (marks.has('consent') && title === '') ? 'consent' : null;
}

function factsOf(page: Page): Facts {
  const title = visibleText((page.headings('title')[0] ?? '').slice(0, 300));
  const isDescribed = page.metas.some(({ key, content }) => {
    const text = content.trim();
    return DESCRIPTIONS.includes(key.toLowerCase()) && text !== '' && text !== CHALLENGE_DESCRIPTION;
  });
  return {
    title,
    textLength: page.body.textLength,
    marks: marksOf(page),
    hasOwnTags: hasOwnTags(page),
    isDescribed: title !== '' && (isDescribed || page.jsonLd.length > 0),
  };
}

function isChallengeHeader(headers: Readonly<Record<string, string>>): boolean {
  const action = headers['x-amzn-waf-action'];
  return headers['cf-mitigated'] === 'challenge' || action === 'challenge' || action === 'captcha';
}

function isChallenge({ title, textLength, marks }: Facts, page: Page): boolean {
  if (marks.has('challenge') && textLength < LITTLE_TEXT_BESIDE_SCRIPT) return true;
  // Guarded sites put these scripts into their ordinary pages, which have a title or a text.
  if (marks.has('guard') && title === '' && textLength < HARDLY_ANY_TEXT) return true;
  const told = textLength > LITTLE_TEXT ? null : challengeBy(title);
  if (told === null) return false;
  const text = startOfText(page);
  const signs = [
    textLength < HARDLY_ANY_TEXT,
    CHALLENGE_TEXT.test(text),
    CHALLENGE_NUMBER.test(text),
    marks.has('guard'),
  ];
  return signs.filter(Boolean).length >= SIGNS_NEEDED[told];
}

/** A login page is what was asked for, unless a redirect led there or it stands in the place of a page. */
function isLogin(facts: Facts, { address, requested }: Answer): boolean {
  const { title, textLength, marks, hasOwnTags: isOwn } = facts;
  const asked = requested ?? address;
  if (isLoginPath(asked) || LOGIN_HOST.test(asked.hostname)) return false;
  const isForm = marks.has('password');
  if (plainAddress(address) === plainAddress(asked)) {
    const isBare = !isOwn && !facts.isDescribed && textLength < TEXT_OF_A_FORM;
    return isForm && isBare && isPlainLoginTitle(title);
  }
  const isReturning = RETURN_KEY.test(address.search.slice(0, 2_000));
  const isTitled = isLoginTitle(title);
  if (isLoginPath(address))
    return isForm || isReturning || (!isOwn && textLength < (isTitled ? TEXT_OF_A_FORM : HARDLY_ANY_TEXT));
  if (isOwn || textLength > LITTLE_TEXT) return false;
  if (isForm && isTitled) return true;
  if (!LOGIN_HOST.test(address.hostname)) return false;
  const signs = [isForm, isReturning, isTitled].filter(Boolean).length;
  // `id.` is where people have accounts, and Indonesian.
  return address.hostname.startsWith('id.') ? signs > 1 && textLength < TEXT_OF_A_FORM : signs > 0;
}

/** Without what no redirect changes but https, `www.` or a fragment. */
function plainAddress({ host, pathname, search }: URL): string {
  return `${host.replace(/^www\./, '')}${pathname}${search}`;
}

function isLoginPath(address: URL): boolean {
  return LOGIN_PATH.test(address.pathname.slice(0, 500));
}

/** Do tags say of what the page is? Interstitials and pages that lead on have none. */
export function hasOwnTags(page: Page): boolean {
  return OWN_TAGS.filter((key) => page.metaKeys.has(key)).length >= 2;
}

function startOfText({ body: { blocks } }: Page): string {
  const text = blocks.map((block) => block.text).join(' ');
  return text.slice(0, EXPLANATION).replaceAll('’', "'");
}
