import { alternatives } from '../alternatives.js';

const { raw } = String;
/** A notice says what it is at its start. */
const LOOKED_AT = 400;
/** A longer text is no line at the foot of a page. */
const LONGEST_FOOT = 250;

const OLD_BROWSER = alternatives(raw`
  you(?:r|['’]re| are)\b[^.!?]{0,30}\b(?:outdated|unsupported|old(?:er)?)\b[^.!?]{0,30}\bbrowser
  veralteten? (?:web)?browser|navigateur obsol|(?:upgrade|update) your (?:web ?)?browser
  browser (?:version )?(?:is|you are using is) (?:out[ -]of[ -]date|outdated|(?:not|no longer) supported)
  your (?:web ?)?browser (?:does not|doesn['’]t|can(?:no|['’])t) (?:support|play|display)`);
const NO_SCRIPT = alternatives(raw`
  (?:enable|turn on|allow|activate|requires?|needs?|supports?|without) (?:the use of )?java ?script
  aktivieren sie java ?script|benötigt java ?script|activer java ?script
  java ?script (?:is|must be|has been|seems to be|appears to be) (?:disabled|enabled|required|not|turned off)
  java ?script (?:ist deaktiviert|est désactivé|está desactivado)|javascriptを?有効|启用 ?javascript`);
/** Greetings of forums and links for readers who do not look. */
const VISITOR = alternatives(raw`
  ^(?:hello|hi|welcome|willkommen)[ ,!]{1,3}(?:guest|visitor|gast)\b
  \byou are (?:not|currently not) logged in\b|\bif this is your first visit, be sure to\b
  ^(?:it is currently|the time now is|(?:your )?last visit(?: was)?|current time)\b
  ^(?:skip|jump) to (?:the )?(?:main |page )?(?:content|navigation|main|menu|search)\b
  ^zum inhalt springen|^aller au contenu|^(?:saltar|ir) al contenido
  ^you must (?:be logged in|log in|login|register)\b
  ^(?:please )?(?:log ?in|sign in) (?:or|to) (?:register|sign up|create|continue|comment|post)\b`);
const RIGHTS = alternatives(raw`
  ^©|^\(c\)|^copyright (?:©|\(c\)|(?:19|20)\d\d)
  \ball rights reserved\b|\balle rechte vorbehalten\b`);

const SITE =
  raw`(?:our|this|these|the|unsere|dieses?|notre|ce|cette|questo|est[ea]|deze|denna|ta) (?:[\w.]{1,30} )?(?:web)?` +
  '(?:sites?|seiten?|angebot|page|sito|sitio|página|strona|webbplats|app|store|shop|portal|blog|service)';
const USES =
  'uses?|using|utilise|utilisons|utilizes?|stores?|sets?|places?|verwende[nt]|nutz(?:en|t)|setz(?:en|t)|utilizza|' +
  'utiliza|usa|gebruikt|gebruiken|använder|bruker|bruger|używa';
const BAKED = ' (?:dough|cutter|scoop|sheet|crumb|recipe|jar|batter)';
const USES_COOKIES =
  raw`(?:we|wir|nous|wij|vi|${SITE})(?!\p{L})[^.!?]{0,40}(?<!\p{L})(?:${USES})(?!\p{L})` +
  raw`[^.!?]{0,60}\bcookies?\b(?!${BAKED})`;
const PARTNERS =
  '(?:we(?: and|,? &) our|us and our|wir und unsere|nous et nos|noi e i nostri|nosotros y nuestros|wij en onze) ' +
  raw`(?:up to )?(?:[\d.,]{1,6} )?(?:(?:advertising|trusted|selected|third[- ]party|tcf|iab) ){0,3}` +
  '(?:partner|vendor|partenaire|socios)';
const PRIVACY = alternatives(raw`
  (?<!\p{L})${USES_COOKIES}
  (?<!\p{L})(?:utilizamos|usamos|utilizziamo|używamy|wykorzystujemy)\b[^.!?]{0,60}\bcookies?(?!\p{L})
  (?<!\p{L})(?:accept|allow|reject|manage) (?:all )?(?:the )?(?:use of )?cookies(?!\p{L})
  (?<!\p{L})(?:cookies help us|(?:agree|consent) to (?:our|the) use of cookies|файлы cookie)(?!\p{L})
  cookie[^。]{0,40}[使利]用|使用[^。]{0,20}cookie
  (?<!\p{L})${PARTNERS}
  \bwe (?:value|respect|care about) your privacy\b|\bstore and/or access information on a device\b`);
const PRIVACY_TITLE = /cookie|privacy|datenschutz|gdpr|dsgvo|confidentialité/i;

/** Each kind of notice, and words of which it needs one: they are much cheaper to look for, and most texts have none. */
const RIGHTS_NOTICE = notice(RIGHTS, /©|\(c\)|copyright|rights reserved|rechte vorbehalten/i);
const BROWSER_NOTICE = notice(raw`(?<!\p{L})(?:${OLD_BROWSER})`, /browser|navigateur/i);
const SCRIPT_NOTICE = notice(raw`(?<![a-z])(?:${NO_SCRIPT})`, /script/i);
const VISITOR_NOTICE = notice(VISITOR, /(?:)/);
const PRIVACY_NOTICE = notice(PRIVACY, /cookie|part(?:ner|enaire)|vendor|socios|privacy|on a device/i);

function notice(pattern: string, words: RegExp): (text: string) => boolean {
  const expression = new RegExp(pattern, 'iu');
  return (text) => words.test(text) && expression.test(text);
}

/**
 * Is a text one that sites write on all their pages: about cookies, the browser, the visitor, their rights?
 * What a page on privacy, by its `title`, says of cookies is its text.
 */
export function isBoilerplate(text: string, title: string | null): boolean {
  const head = text.slice(0, LOOKED_AT);
  if (text.length <= LONGEST_FOOT && RIGHTS_NOTICE(head)) return true;
  if ([BROWSER_NOTICE, SCRIPT_NOTICE, VISITOR_NOTICE].some((is) => is(head))) return true;
  return PRIVACY_NOTICE(head) && !PRIVACY_TITLE.test((title ?? '').slice(0, LOOKED_AT));
}
