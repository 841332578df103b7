import { patterns, wholeTexts } from './vocabulary.js';

/** Titles of pages that ask for consent to cookies; no dots at the end, straight apostrophes. */
export const CONSENT_TITLES = wholeTexts(
  {
    'before you continue': 'Before you continue',
    'before you continue to youtube': 'Before you continue to YouTube',
    'before you continue to google': 'Before you continue to Google',
    'before you continue to google search': 'Before you continue to Google Search',
    'bevor sie zu youtube weitergehen': 'Bevor Sie zu YouTube weitergehen',
    'bevor sie zu google weitergehen': 'Bevor Sie zu Google weitergehen',
    'avant de continuer': 'Avant de continuer',
    "avant d'accéder à youtube": 'Avant d’accéder à YouTube',
    'prima di continuare': 'Prima di continuare',
    'antes de continuar': 'Antes de continuar',
    'yahoo is part of the yahoo family of brands': 'Yahoo is part of the Yahoo family of brands',
    'dpg media privacy gate': 'DPG Media Privacy Gate',
  },
  (title) =>
    title
      .toLowerCase()
      .replaceAll('’', "'")
      .replace(/[.…]{1,5}$/, ''),
);

/** Hosts that ask for consent and then lead back. */
export const CONSENT_HOSTS = patterns(
  {
    consent: 'consent.video.example',
    guce: 'guce.mail.example',
    cookiewall: 'cookiewall.news.example',
    myprivacy: 'myprivacy.news.example',
  },
  (names) => String.raw`^(?:${names})\.`,
);

const LOGINS = {
  'log ?in': 'Log in',
  'sign ?in': 'Sign in',
  anmelden: 'Anmelden',
  anmeldung: 'Anmeldung',
  einloggen: 'Einloggen',
  connexion: 'Connexion',
  'se connecter': 'Se connecter',
  'iniciar sesión': 'Iniciar sesión',
  'iniciar sessão': 'Iniciar sessão',
  accedi: 'Accedi',
  inloggen: 'Inloggen',
  'logga in': 'Logga in',
  'logg inn': 'Logg inn',
  'log ind': 'Log ind',
  zaloguj: 'Zaloguj',
  вход: 'Вход',
  войти: 'Войти',
  登录: '登录',
  登入: '登入',
  ログイン: 'ログイン',
  로그인: '로그인',
};

/** Titles that begin with what login pages are called. */
export const LOGIN_BEGINNINGS = patterns(LOGINS, (words) => String.raw`^(?:${words})(?!\p{L})`);

/** Titles that end so. */
export const LOGIN_ENDS = patterns(LOGINS, (words) => String.raw`(?<!\p{L})(?:${words})$`);

export const LOGIN_PATHS = patterns(
  {
    'log-?in': '/user/login.php',
    'sign-?in': '/signin/',
    authwall: '/authwall',
    'users/sign_in': '/users/sign_in',
    'oauth2?/authorize': '/oauth2/authorize',
    sso: '/sso/',
    checkpoint: '/checkpoint/x',
  },
  (names) => String.raw`/(?:${names})(?:[/.]|$)`,
);

/** Hosts that people log in at. `id` may also be a language. */
export const LOGIN_HOSTS = patterns(
  {
    login: 'login.corp.example',
    signin: 'signin.corp.example',
    accounts: 'accounts.corp.example',
    auth: 'auth.corp.example',
    sso: 'sso.corp.example',
    id: 'id.corp.example',
  },
  (names) => String.raw`^(?:${names})\.`,
);

/** Where login pages are told what to come back to. */
export const RETURN_KEYS = patterns(
  {
    next: '?next=%2Fa',
    continue: '?continue=x',
    'return(?:_?(?:to|url|uri))?': '?a=1&returnUrl=x',
    'redirect(?:_?(?:to|url|uri))?': '?redirect_uri=x',
    redir: '?redir=x',
    'dest(?:ination)?': '?destination=node/1',
    goto: '?goto=x',
    'back_?url': '?backurl=x',
    service: '?service=https%3A%2F%2Fsite.example',
    session_redirect: '?session_redirect=x',
    came_from: '?came_from=x',
    client_id: '?client_id=1',
    samlrequest: '?SAMLRequest=x',
    relaystate: '?RelayState=x',
    wtrealm: '?wa=1&wtrealm=x',
  },
  (names) => String.raw`[?&](?:${names})=`,
);
