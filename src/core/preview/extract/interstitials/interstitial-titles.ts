/** Said by pages that tell people from programs, and by hardly any other. Lower case, without dots at the end. */
const CERTAIN = new Set([
  'attention required! | cloudflare',
  'checking your browser before accessing',
  'checking your browser',
  'checking your browser - recaptcha',
  'access to this page has been denied',
  'are you a robot?',
  'are you a human?',
  'are you human?',
  'robot or human?',
  'robot check',
  'bot verification',
  'client challenge',
  "making sure you're not a bot!",
  'human verification',
  'verify you are human',
  'verifying you are human',
  'verify that you are human',
  'please verify you are human',
  'please verify you are a human',
  "let's confirm you are human",
  'prove your humanity',
  'please wait for verification',
  'pardon our interruption',
  'vercel security checkpoint',
  'radware captcha page',
  'radware bot manager captcha',
  'captcha challenge',
  'please enable javascript',
  'request unsuccessful',
  '百度安全验证',
  '滑动验证页面',
  '人机验证',
]);
/** Of a challenge page only with its dots: people write the words without. */
const CERTAIN_WITH_DOTS = new Set([
  'just a moment',
  'one moment, please',
  'einen moment',
  'un instant',
  'un momento',
  'um momento',
  'een ogenblik geduld',
  'ogenblikje geduld',
  'один момент',
  'bir dakika lütfen',
  'cierpliwości',
  'しばらくお待ちください',
  '请稍候',
  '請稍候',
  '잠시만 기다리십시오',
]);
/** Movies and articles are called so, too. */
const POSSIBLE = new Set([
  ...CERTAIN_WITH_DOTS,
  'attention required!',
  'attention required',
  'please wait',
  'access denied',
  'security check',
  'security verification',
  'security checkpoint',
  'verification required',
  'your browser is not supported',
  'browser not supported',
  'you have been blocked',
  'blocked',
  'forbidden',
  '403 forbidden',
  'too many requests',
  'ddos-guard',
  'javascript is not available',
  'captcha',
  'unusual traffic',
  'validation request',
  '安全验证',
  '访问验证',
  '验证码',
]);
const CONSENT = new Set([
  'before you continue',
  'before you continue to youtube',
  'before you continue to google',
  'before you continue to google search',
  'bevor sie fortfahren',
  'bevor sie zu youtube weitergehen',
  'bevor sie zu google weitergehen',
  'avant de continuer',
  "avant d'accéder à youtube",
  'prima di continuare',
  'antes de continuar',
  'yahoo is part of the yahoo family of brands',
  'dpg media privacy gate',
  'privacy gate',
]);
const LOGIN_WORDS =
  'log ?in|sign ?in|login|anmelden|anmeldung|einloggen|connexion|se connecter|iniciar sesión|iniciar sessão|' +
  'accedi|inloggen|logga in|logg inn|log ind|zaloguj|вход|войти|登录|登入|ログイン|로그인';
const LOGIN = new RegExp(`^(?:${LOGIN_WORDS})(?!\\p{L})|(?<!\\p{L})(?:${LOGIN_WORDS})$`, 'iu');

/** Does a title speak of a challenge: surely, perhaps, or not at all? Its site may stand before or after it. */
export function challengeBy(title: string): 'certain' | 'possible' | null {
  const parts = partsOf(title);
  const isIn = (known: ReadonlySet<string>) => parts.some((part) => known.has(withoutDots(part)));
  if (isIn(CERTAIN)) return 'certain';
  if (parts.some((part) => /(?:\.\.|…)$/.test(part) && CERTAIN_WITH_DOTS.has(withoutDots(part))))
    return 'certain';
  return isIn(POSSIBLE) ? 'possible' : null;
}

/** Is it the title of a page that asks for consent to cookies? */
export function isConsentTitle(title: string): boolean {
  return partsOf(title).some((part) => CONSENT.has(withoutDots(part)));
}

const LOGIN_FIRST = new RegExp(`^(?:${LOGIN_WORDS})(?!\\p{L})`, 'iu');

/** Does a title, or the part beside the name of its site, begin with what login pages are called? */
export function isPlainLoginTitle(title: string): boolean {
  return partsOf(title).some((part) => LOGIN_FIRST.test(part));
}

/** Does a title begin or end with what login pages are called? */
export function isLoginTitle(title: string): boolean {
  return partsOf(title).some((part) => LOGIN.test(part));
}

/** The title, and what stands before its first and after its last separator. */
function partsOf(title: string): string[] {
  const plain = title.toLowerCase().replaceAll('’', "'");
  const parts = plain.split(/ [|·•:–—-] /);
  return [plain, parts[0] ?? '', parts.at(-1) ?? ''];
}

function withoutDots(text: string): string {
  return text.replace(/[.…]{1,5}$/, '').trimEnd();
}
