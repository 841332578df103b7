import { patterns } from './vocabulary.js';

/** Class names and ids of consent dialogs, by their makers. */
export const CONSENT_MAKERS = patterns(
  {
    onetrust: 'onetrust-consent-sdk',
    'ot-sdk': 'ot-sdk-container',
    didomi: 'didomi-host',
    'qc-cmp2?': 'qc-cmp2-container',
    usercentrics: 'usercentrics-root',
    'cybotcookiebot\\w*': 'CybotCookiebotDialog',
    cookiebot: 'cookiebot-root',
    sp_message: 'sp_message_container_1',
    truste: 'truste-box',
    trustarc: 'trustarc-banner-container',
    'iubenda-cs': 'iubenda-cs-banner',
    cmplz: 'cmplz-message',
    cky: 'cky-consent-container',
    borlabs: 'borlabs-cookie',
    klaro: 'klaro',
    'cc-(?:window|banner)': 'cc-window cc-floating',
    'fc-consent': 'fc-consent-root',
    tarteaucitron: 'tarteaucitron-root',
    moove_gdpr: 'moove_gdpr-bar',
    'osano-cm': 'osano-cm-window',
    cookielaw: 'cookielaw-bottom',
  },
  (names) => String.raw`(?:^|[\s_-])(?:${names})(?=$|[\s_-])`,
);

const SUBJECTS = { 'cookies?': 'cookie-bar', gdpr: 'gdpr-bar', consent: 'consent-bar' };

function boxes(subjects: string, kinds: string): string {
  const state = 'visible|shown|open|closed|active|accepted|dismissed|set';
  return `(?<!(?:has|no|with|without|hide|show)[_-])(?:${subjects})[_-]?(?:${kinds})(?![_-](?:${state}))`;
}

const KINDS = {
  banner: 'cookieBanner',
  notice: 'cookie-notice',
  bar: 'cookie-bar',
  law: 'cookie-law-info',
  popup: 'gdpr-popup',
  modal: 'consent-modal',
  message: 'cookie_message',
  overlay: 'cookie-overlay',
  dialog: 'consent-dialog',
  disclaimer: 'cookie-disclaimer',
  wall: 'cookiewall',
  layer: 'consent-layer',
  prompt: 'cookie-prompt',
  settings: 'cookie-settings',
  hinweis: 'cookie-hinweis',
  toast: 'cookie-toast',
  notification: 'cookie-notification',
  disclosure: 'cookie-disclosure',
  manager: 'consent-manager',
  alert: 'cookie-alert',
  warning: 'cookie-warning',
};

/** What sites call boxes on cookies. `has-cookie-banner` is none. */
export const CONSENT_BOXES = patterns(KINDS, (kinds) => boxes(Object.keys(SUBJECTS).join('|'), kinds));

/** Class names and ids of boxes beside the text, which hold all of it on some pages. */
export const BESIDE_BOXES = patterns(
  {
    'sr-only': 'sr-only',
    'visually-?hidden': 'visually-hidden',
    'screen-?reader(?:-text)?': 'screen-reader-text',
    'skip-?(?:link|nav|to)': 'skip-link',
    'breadcrumbs?': 'page-breadcrumbs',
    newsletter: 'newsletter-box',
    paywall: 'article-paywall',
  },
  (names) => String.raw`(?:^|[\s_-])(?:${names})(?=$|[\s_-])`,
);

/** The same as whole names only. */
export const BESIDE_NAMES = patterns(
  { 'cookies?': 'box cookies', gdpr: 'gdpr' },
  (names) => String.raw`(?:^|\s)(?:${names})(?=$|\s)`,
);
