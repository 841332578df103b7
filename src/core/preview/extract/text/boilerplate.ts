/** A notice says what it is at its start. */
const LOOKED_AT = 400;
/** A longer text is no line at the foot of a page. */
const LONGEST_FOOT = 250;
const SUBJECT =
  'we|us|wir|nous|wij|vi|(?:our|this|these|the|unsere|diese|dieses|notre|ce|cette|questo|este|esta|deze|denna|ta) (?:[\\w.]{1,30} )?(?:web)?(?:sites?|seiten?|angebot|page|sito|sitio|strona|webbplats|app|store|shop|portal|blog|service)';
const VERB =
  'use|uses|using|utilise|utilisons|utilizes?|store|stores|set|sets|place|places|verwenden|verwendet|nutzen|nutzt|setzen|setzt|utilizza|utiliza|usa|usan|gebruikt|gebruiken|använder|bruker|bruger|używa';
const FOOD = 'dough|cutter|scoop|sheet|crumb|recipe|jar|batter';
const COOKIES = new RegExp(
  `\\b(?:${SUBJECT})\\b[^.!?]{0,40}\\b(?:${VERB})\\b[^.!?]{0,60}\\bcookies?\\b(?! (?:${FOOD}))|` +
    '\\b(?:utilizamos|usamos|utilizziamo|używamy|wykorzystujemy)\\b[^.!?]{0,60}\\bcookies?\\b|' +
    '\\b(?:accept|manage|allow|reject) (?:all )?(?:the )?(?:use of )?cookies\\b|файлы cookie|\\bcookies help us\\b|\\b(?:agree|consent) to (?:our|the) use of cookies\\b|' +
    'cookie[^。]{0,40}(?:使用|利用)|(?:使用|利用)[^。]{0,20}cookie',
  'i',
);
const PARTNERS =
  /\b(?:we|us|wir|nous|noi|nosotros|wij),? (?:and|und|et|e|y|en|&) (?:our|unsere|nos|i nostri|nuestros|onze) (?:up to )?(?:[\d.,]{1,6} )?(?:(?:advertising|trusted|selected|third[- ]party|tcf|iab) ){0,3}(?:partner|vendor|partenaire|socios)|\bwe (?:value|respect|care about) your privacy\b|\bstore and\/or access information on a device\b/i;
const BROWSER =
  /\byou(?:r|['’]re| are)\b[^.!?]{0,30}\b(?:outdated|unsupported|obsolete|old|older)\b[^.!?]{0,30}\bbrowser|\bveralteten? (?:web)?browser|\bbrowser (?:version )?(?:is|you are using is|appears to be|seems to be) (?:out of date|out-of-date|outdated|not supported|no longer supported|unsupported|too old)|\b(?:upgrade|update) your (?:web ?)?browser|\byour (?:web ?)?browser (?:does not|doesn['’]t|can(?:no|['’])t) (?:support|play|display)|\bnavigateur obsol/i;
const SCRIPT =
  /\b(?:enable|activate|allow|turn on|turned on|requires?|without|need|needs|supports?|aktivieren|activer|benötigt) (?:sie |the |use of |your browser['’]s )?java ?script\b|\bjava ?script (?:is|must be|has been|seems to be|appears to be) (?:disabled|enabled|required|turned off|not)\b|\bjava ?script (?:ist|est|está) (?:deaktiviert|désactivé|desactivado)|javascriptを?有効|启用 ?javascript/i;
const VISITOR =
  /^(?:hello|hi|welcome|willkommen|bienvenue)[ ,!]{1,3}(?:guest|visitor|gast|invité)\b|\byou are (?:not|currently not) logged in\b|\bif this is your first visit, be sure to\b|^(?:it is currently|the time now is|last visit was|current time|your last visit)\b|^(?:skip|jump) to (?:the )?(?:main |page )?(?:content|navigation|main|menu|search)\b|^(?:zum inhalt springen|aller au contenu|saltar al contenido|ir al contenido)|^you must (?:be logged in|log in|login|register)\b|^(?:please )?(?:log ?in|sign in) (?:or|to) (?:register|sign up|create|continue|comment|post)\b/i;
const RIGHTS =
  /^(?:©|\(c\)|copyright (?:©|\(c\)|(?:19|20)\d\d))|\ball rights reserved\b|\balle rechte vorbehalten\b/i;
/** Words that one of each needs, in lower case: much cheaper to look for, and most texts have none. */
const WORDS = {
  rights: ['©', '(c)', 'copyright', 'rights reserved', 'rechte vorbehalten'],
  browser: ['browser', 'navigateur'],
  script: ['script'],
  cookies: ['cookie', 'partner', 'vendor', 'partenaire', 'socios', 'privacy', 'on a device'],
};
const ABOUT_PRIVACY = /cookie|privacy|datenschutz|gdpr|dsgvo|confidentialité/i;

/**
 * Is a text one that sites write on all their pages: about cookies, the browser, the visitor, their rights?
 * What a page on privacy, by its `title`, says of cookies is its text.
 */
export function isBoilerplate(text: string, title: string | null): boolean {
  const head = text.slice(0, LOOKED_AT);
  const plain = head.toLowerCase();
  const has = (words: readonly string[]): boolean => words.some((word) => plain.includes(word));
  if (text.length <= LONGEST_FOOT && has(WORDS.rights) && RIGHTS.test(head)) return true;
  if (has(WORDS.browser) && BROWSER.test(head)) return true;
  if ((has(WORDS.script) && SCRIPT.test(head)) || VISITOR.test(head)) return true;
  if (!has(WORDS.cookies) || !(COOKIES.test(head) || PARTNERS.test(head))) return false;
  return !ABOUT_PRIVACY.test((title ?? '').slice(0, LOOKED_AT));
}
