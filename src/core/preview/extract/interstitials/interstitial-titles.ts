import { alternatives } from '../alternatives.js';

/** Said by pages that tell people from programs, and by hardly any other. */
const CHALLENGES = whole(`
  attention required! \\| cloudflare|please wait\\.\\.\\. \\| cloudflare|client challenge|request unsuccessful
  checking your browser(?: before accessing| - recaptcha)?|access to this page has been denied
  are you a robot\\?|are you human\\?|robot or human\\?|robot check|bot verification|human verification
  making sure you're not a bot!|verifying you are human|let's confirm you are human|prove your humanity
  pardon our interruption|vercel security checkpoint|radware (?:captcha page|bot manager captcha)
  百度安全验证|滑动验证页面|人机验证`);
/** Of a challenge only with dots behind them: people write the words without. */
const DOTTED = whole(`
  just a moment|one moment, please|einen moment|un instant|u[nm] momento|een ogenblik geduld|один момент
  bir dakika lütfen|cierpliwości|しばらくお待ちください|请稍候|請稍候|잠시만 기다리십시오`);
/** Films, songs and articles are called so, too. */
const POSSIBLE = whole(`
  attention required!|please wait|access denied|security check|security verification|verification required
  your browser is not supported|you have been blocked|blocked|forbidden|403 forbidden|too many requests
  ddos-guard|javascript is not available|captcha|unusual traffic|validation request|安全验证|访问验证|验证码`);
/** Of pages that ask for consent to cookies. */
const CONSENT = whole(`
  before you continue(?: to (?:youtube|google|google search))?|bevor sie zu (?:youtube|google) weitergehen
  avant de continuer|avant d'accéder à youtube|prima di continuare|antes de continuar
  yahoo is part of the yahoo family of brands|dpg media privacy gate`);
const LOGIN = alternatives(`
  log ?in|sign ?in|anmelden|anmeldung|einloggen|connexion|se connecter|iniciar ses(?:ión|são)|accedi|inloggen
  logga in|logg inn|log ind|zaloguj|вход|войти|登录|登入|ログイン|로그인`);
const LOGIN_BEGINNING = new RegExp(`^(?:${LOGIN})(?!\\p{L})`, 'iu');
const LOGIN_END = new RegExp(`(?<!\\p{L})(?:${LOGIN})$`, 'iu');

/** Titles as a whole; of theirs apostrophes are straight, and dots at the end do not count. */
function whole(titles: string): (title: string) => boolean {
  const expression = new RegExp(`^(?:${alternatives(titles)})$`, 'iu');
  return (title) =>
    expression.test(
      title
        .replaceAll('’', "'")
        .replace(/[.…]{1,5}$/, '')
        .trimEnd(),
    );
}

/**
 * What a title says of a challenge: surely, as it is no other page's; likely, as such words stand beside the name of
 * a site, or whole but on other pages, too; perhaps, as such words stand beside a name. Null: nothing.
 */
export function challengeBy(title: string): 'certain' | 'likely' | 'whole' | 'possible' | null {
  if (isOfChallenge(title)) return 'certain';
  const parts = partsOf(title);
  if (parts.some(isOfChallenge)) return 'likely';
  const isPossible = (text: string): boolean => POSSIBLE(text) || DOTTED(text);
  if (isPossible(title)) return 'whole';
  return parts.some(isPossible) ? 'possible' : null;
}

function isOfChallenge(text: string): boolean {
  return CHALLENGES(text) || (/(?:\.\.|…)$/.test(text) && DOTTED(text));
}

/** Is it the title of a page that asks for consent to cookies? */
export function isConsentTitle(title: string): boolean {
  return partsOf(title).some(CONSENT);
}

/** Does a title, or the part beside the name of its site, begin with what login pages are called? */
export function isPlainLoginTitle(title: string): boolean {
  return partsOf(title).some((part) => LOGIN_BEGINNING.test(part));
}

/** Does a title begin or end with what login pages are called? */
export function isLoginTitle(title: string): boolean {
  return isPlainLoginTitle(title) || partsOf(title).some((part) => LOGIN_END.test(part));
}

/** The title, and what stands before its first and after its last separator. */
function partsOf(title: string): string[] {
  const parts = title.split(/ [|·•:–—-] /);
  return [title, parts[0] ?? '', parts.at(-1) ?? ''];
}
