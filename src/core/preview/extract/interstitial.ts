import { visibleText, alternatives } from './values.js';
import { DESCRIPTIONS, textIn, type Page } from './page.js';

/** Why a page is not the page asked for: proof of being human, consent to cookies, or a login. */
export type Interstitial = 'challenge' | 'consent' | 'login';

/** What is known of the answer that brought a page. */
interface Answer {
  readonly address: URL;
  /** Address first asked for; null: not known. */
  readonly requested: URL | null;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Titles of challenges and of hardly any other page; some only with dots behind them, as people write the words without. */
const CHALLENGE_TITLE = new RegExp(
  `^(?:${alternatives(`
  attention required! \\| cloudflare|please wait\\.\\.\\. \\| cloudflare|client challenge|request unsuccessful
  checking your browser(?: before accessing| - recaptcha)?|access to this page has been denied
  are you a robot\\?|are you human\\?|robot or human\\?|robot check|bot verification|human verification
  making sure you're not a bot!|verifying you are human|let's confirm you are human|prove your humanity
  pardon our interruption|vercel security checkpoint|radware (?:captcha page|bot manager captcha)
  百度安全验证|滑动验证页面|人机验证
  (?:just a moment|one moment, please|einen moment|un instant|u[nm] momento|een ogenblik geduld|один момент)(?:\\.\\.\\.|…)
  (?:しばらくお待ちください|请稍候|請稍候|잠시만 기다리십시오)(?:\\.\\.\\.|…)`)})$`,
  'iu',
);
/** In the scripts of challenges and nowhere else. */
const CHALLENGE_SCRIPT = new RegExp(
  alternatives(String.raw`
    _cf_chl_opt|/cdn-cgi/challenge-platform/h/[bg]/orchestrate/|captcha-delivery\.com|gokuProps|/sec_cpt/|bm-verify
    sucuri_cloudproxy_js|/\.well-known/ddos-guard/js-challenge|/\.within\.website/x/cmd/anubis/`),
);
const CONSENT_HOST = /^(?:consent|guce|cookiewall|myprivacy)\./i;
const LOGIN_TITLE = new RegExp(
  `^(?:${alternatives(`
    log ?in|sign ?in|anmelden|anmeldung|einloggen|connexion|se connecter|iniciar ses(?:ión|são)|accedi|inloggen
    logga in|logg inn|log ind|zaloguj|вход|войти|登录|登入|ログイン|로그인`)})(?!\\p{L})`,
  'iu',
);
const LOGIN_HOST = /^(?:login|signin|accounts|auth|sso)\./i;
const LOGIN_PATH =
  /\/(?:log-?in|sign-?in|authwall|users\/sign_in|oauth2?\/authorize|sso|checkpoint)(?:[/.]|$)/i;
/** Where login pages are told what to come back to. */
const RETURN_KEY = /[?&](?:next|continue|return\w{0,9}|redirect\w{0,9}|goto|service|client_id|samlrequest)=/i;
/** A page with more text than this, in characters, is a page, whatever its title. */
const LITTLE_TEXT = 3_000;
/** Labels, a logo, a line at the foot. */
const TEXT_OF_A_FORM = 600;
const HARDLY_ANY_TEXT = 100;
/** What one maker of challenges writes into the description of its page. */
const CHALLENGE_DESCRIPTION = 'px-captcha';
/** Challenge pages keep their settings at the start of a script. */
const MAX_SCRIPT_START = 4_096;
const MAX_SCRIPTS = 1_000;

/**
 * Tells interstitials from pages by header, address, title, text and code; null when it looks like the page itself.
 * Answers with an error status never get here: their download has failed (SPEC §4.7.5).
 */
export function interstitialOf(page: Page, answer: Answer): Interstitial | null {
  const { address, requested, headers } = answer;
  const action = headers['x-amzn-waf-action'];
  if (headers['cf-mitigated'] === 'challenge' || action === 'challenge' || action === 'captcha')
    return 'challenge';
  if (CONSENT_HOST.test(address.hostname) && requested?.hostname !== address.hostname) return 'consent';
  const title = visibleText((page.headings('title')[0] ?? '').slice(0, 300));
  if (isLogin(page, title, answer)) return 'login';
  if (page.hasOwnTags || isDescribed(page, title)) return null;
  const { textLength } = page.body;
  const isNamed = (part: string): boolean => CHALLENGE_TITLE.test(part.replaceAll('’', "'"));
  const isChallenge =
    (textLength < TEXT_OF_A_FORM && hasChallengeScript(page)) ||
    (textLength <= LITTLE_TEXT && isNamed(title)) ||
    (textLength < HARDLY_ANY_TEXT && partsOf(title).some(isNamed));
  return isChallenge ? 'challenge' : null;
}

function hasChallengeScript(page: Page): boolean {
  const marked = ['form', 'script', 'iframe'].flatMap((name) => page.elements(name).slice(0, MAX_SCRIPTS));
  return marked.some((element) => {
    const { src, action } = element.attribs;
    const code = element.name === 'script' ? textIn(element, MAX_SCRIPT_START) : '';
    return CHALLENGE_SCRIPT.test(`${(src ?? action ?? '').slice(0, MAX_SCRIPT_START)} ${code}`);
  });
}

/** A login page is what was asked for, unless a redirect led there or it stands in the place of a page. */
function isLogin(page: Page, title: string, { address, requested }: Answer): boolean {
  const asked = requested ?? address;
  if (isLoginPath(asked) || LOGIN_HOST.test(asked.hostname)) return false;
  const isForm = page.elements('input[type="password" i]').length > 0;
  const isTitled = isLoginTitle(title);
  if (plainAddress(address) === plainAddress(asked))
    return (
      isForm &&
      isTitled &&
      !page.hasOwnTags &&
      !isDescribed(page, title) &&
      page.body.textLength < TEXT_OF_A_FORM
    );
  const isReturning = RETURN_KEY.test(address.search.slice(0, 2_000));
  if (isLoginPath(address)) return isForm || isReturning;
  if (page.hasOwnTags || page.body.textLength > LITTLE_TEXT) return false;
  return (isForm && isTitled) || (LOGIN_HOST.test(address.hostname) && (isForm || isReturning || isTitled));
}

/** Is an address, by its path, that of a login page, which only its form tells from others? */
export function isLoginPath({ pathname }: URL): boolean {
  return LOGIN_PATH.test(pathname.slice(0, 500));
}

/** Without what no redirect changes but https, `www.` or a fragment. */
function plainAddress({ host, pathname, search }: URL): string {
  return `${host.replace(/^www\./, '')}${pathname}${search}`;
}

/** Does a page say what it is about, which no interstitial does? */
function isDescribed(page: Page, title: string): boolean {
  if (title === '') return false;
  const texts = DESCRIPTIONS.flatMap((key) => page.contents.get(key) ?? []).map((text) => text.trim());
  return texts.some((text) => text !== '' && text !== CHALLENGE_DESCRIPTION) || page.jsonLd.length > 0;
}

/** Does a title, or the part beside the name of its site, begin with what login pages are called? */
export function isLoginTitle(title: string): boolean {
  return partsOf(title).some((part) => LOGIN_TITLE.test(part));
}

/** The title, and what stands before its first and after its last separator. */
function partsOf(title: string): string[] {
  const parts = title.split(/ [|·•:–—-] /);
  return [title, parts[0] ?? '', parts.at(-1) ?? ''];
}
