import { visibleText } from '../charset/visible-text.js';
import type { Candidates } from './pass/candidates.js';

/** Why a page is not the page asked for: proof of being human, consent to cookies, or a login. */
export type Wall = 'challenge' | 'consent' | 'login';

/** What is known of the answer that brought a page. */
export interface Answer {
  readonly address: URL;
  /** Address first asked for, when the caller knows it; only a redirect makes a login page a wall. */
  readonly requested: URL | null;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

const CHALLENGE_TITLES = new Set([
  'just a moment',
  'attention required! | cloudflare',
  'attention required',
  'checking your browser',
  'checking your browser before accessing',
  'please wait',
  'one moment, please',
  'ddos-guard',
  'access denied',
  'access to this page has been denied',
  'are you a robot?',
  'are you a human?',
  'robot check',
  'bot verification',
  'security check',
  'security verification',
  'human verification',
  'verify you are human',
  'pardon our interruption',
  'javascript is not available',
  'please enable javascript',
  'your browser is not supported',
  'browser not supported',
  'request unsuccessful',
  'you have been blocked',
  'blocked',
  '403 forbidden',
  'too many requests',
]);
const CONSENT_TITLES = new Set([
  'before you continue',
  'before you continue to youtube',
  'before you continue to google',
  'before you continue to google search',
  'bevor sie fortfahren',
  'bevor sie zu youtube weitergehen',
  'avant de continuer',
  'prima di continuare',
  'antes de continuar',
  'yahoo is part of the yahoo family of brands',
]);
const LOGIN_TITLE =
  /^(?:log ?in|sign ?in|login|anmelden|einloggen|connexion|iniciar sesión)\b|\b(?:log ?in|sign ?in|login)$/i;
const LOGIN_PATH =
  /\/(?:log-?in|sign-?in|authwall|accounts\/login|users\/sign_in|oauth\/authorize|sso|checkpoint)(?:[/.]|$)/i;
const LOGIN_HOST = /^(?:login|signin|accounts|auth|sso|id)\./i;
const CONSENT_HOST = /^(?:consent|guce|cookiewall)\./i;
/** A page with more text than this is a page, whatever its title. */
const LITTLE_TEXT = 3_000;
const OWN_TAGS = new Set([
  'og:title',
  'og:description',
  'og:image',
  'twitter:title',
  'article:published_time',
]);

/**
 * Tells walls from pages by header, address, code and title; null when it looks like the page itself. Answers with
 * an error status never get here: their download has failed (§4.7.5).
 */
export function wallOf(found: Candidates, answer: Answer): Wall | null {
  if (isChallengeHeader(answer.headers)) return 'challenge';
  if (CONSENT_HOST.test(answer.address.hostname)) return 'consent';
  if (isLogin(found, answer)) return 'login';
  if (isOwnPage(found)) return null;
  if (found.marks.has('challenge')) return 'challenge';
  if (found.textLength > LITTLE_TEXT) return null;
  const title = titleOf(found);
  if (CHALLENGE_TITLES.has(title)) return 'challenge';
  return CONSENT_TITLES.has(title) || (found.marks.has('consent') && title === '') ? 'consent' : null;
}

function isChallengeHeader(headers: Readonly<Record<string, string>>): boolean {
  const action = headers['x-amzn-waf-action'];
  return headers['cf-mitigated'] === 'challenge' || action === 'challenge' || action === 'captcha';
}

function isOwnPage(found: Candidates): boolean {
  const own = new Set(found.metas.map(({ key }) => key.toLowerCase()).filter((key) => OWN_TAGS.has(key)));
  return own.size >= 2;
}

/** A login page is what was asked for, unless a redirect led there. */
function isLogin(found: Candidates, { address, requested }: Answer): boolean {
  const wasSent = requested !== null && requested.href !== address.href && !isLoginAddress(requested);
  if (!wasSent) return false;
  if (isLoginAddress(address)) return true;
  return found.marks.has('password') && LOGIN_TITLE.test(titleOf(found)) && !isOwnPage(found);
}

function isLoginAddress(address: URL): boolean {
  return LOGIN_PATH.test(address.pathname.slice(0, 500)) || LOGIN_HOST.test(address.hostname);
}

function titleOf(found: Candidates): string {
  const title = found.headings.get('title')?.[0] ?? '';
  return visibleText(title.slice(0, 300))
    .toLowerCase()
    .replace(/[.…]+$/, '');
}
