import { patterns, type Vocabulary } from './vocabulary.js';

type Words = Vocabulary['words'];

const PRONOUNS: Words = {
  we: 'We use cookies.',
  wir: 'Wir verwenden Cookies.',
  nous: 'Nous utilisons des cookies.',
  wij: 'Wij gebruiken cookies.',
  vi: 'Vi bruker cookies.',
};
const DETERMINERS: Words = {
  our: 'Our shop uses cookies.',
  this: 'This website uses cookies.',
  these: 'These sites use cookies.',
  the: 'The BBC website uses cookies.',
  unsere: 'Unsere Seite verwendet Cookies.',
  diese: 'Diese Webseite verwendet Cookies.',
  dieses: 'Dieses Angebot nutzt Cookies.',
  notre: 'Notre site utilise des cookies.',
  ce: 'Ce site utilise des cookies.',
  cette: 'Cette page utilise des cookies.',
  questo: 'Questo sito utilizza i cookie.',
  este: 'Este sitio utiliza cookies.',
  esta: 'Esta página usa cookies.',
  deze: 'Deze site gebruikt cookies.',
  denna: 'Denna webbplats använder cookies.',
  ta: 'Ta strona używa plików cookies.',
};
const SITES: Words = {
  'sites?': 'This site uses cookies.',
  'seiten?': 'Diese Seite verwendet Cookies.',
  angebot: 'Dieses Angebot nutzt Cookies.',
  page: 'This page uses cookies.',
  sito: 'Questo sito utilizza i cookie.',
  sitio: 'Este sitio utiliza cookies.',
  página: 'Esta página usa cookies.',
  strona: 'Ta strona używa plików cookies.',
  webbplats: 'Denna webbplats använder cookies.',
  app: 'This app uses cookies.',
  store: 'Our store uses cookies.',
  shop: 'Our shop uses cookies.',
  portal: 'This portal uses cookies.',
  blog: 'This blog uses cookies.',
  service: 'This service uses cookies.',
};
const USES: Words = {
  'uses?': 'We use cookies.',
  using: 'This site is using cookies.',
  utilise: 'Ce site utilise des cookies.',
  utilisons: 'Nous utilisons des cookies.',
  'utilizes?': 'This site utilizes cookies.',
  'stores?': 'We store cookies.',
  'sets?': 'This site sets cookies.',
  'places?': 'We place cookies.',
  verwenden: 'Wir verwenden Cookies.',
  verwendet: 'Diese Seite verwendet Cookies.',
  nutzen: 'Wir nutzen Cookies.',
  nutzt: 'Diese Seite nutzt Cookies.',
  setzen: 'Wir setzen Cookies ein.',
  setzt: 'Diese Seite setzt Cookies ein.',
  utilizza: 'Questo sito utilizza i cookie.',
  utiliza: 'Este sitio utiliza cookies.',
  usa: 'Este sitio usa cookies.',
  gebruikt: 'Deze site gebruikt cookies.',
  gebruiken: 'Wij gebruiken cookies.',
  använder: 'Denna webbplats använder cookies.',
  bruker: 'Vi bruker cookies.',
  bruger: 'Vi bruger cookies.',
  używa: 'Ta strona używa plików cookies.',
};
const FOODS: Words = {
  dough: 'We use cookie dough.',
  cutter: 'We use cookie cutters.',
  scoop: 'We use a cookie scoop.',
  sheet: 'We place them on a cookie sheet.',
  crumb: 'We use cookie crumbs.',
  recipe: 'We use a cookie recipe of hers.',
  jar: 'We use a cookie jar.',
  batter: 'We use cookie batter.',
};

const anyOf = (words: Words): string => Object.keys(words).join('|');

/** Who, uses, cookies: three in one sentence. No cookies that are eaten. */
function sentence(pronouns: string): string {
  const site = String.raw`(?:${anyOf(DETERMINERS)}) (?:[\w.]{1,30} )?(?:web)?(?:${anyOf(SITES)})`;
  const who = String.raw`(?<!\p{L})(?:${pronouns}|${site})(?!\p{L})`;
  const use = String.raw`(?<!\p{L})(?:${anyOf(USES)})(?!\p{L})`;
  return String.raw`${who}[^.!?]{0,40}${use}[^.!?]{0,60}\bcookies?\b(?! (?:${anyOf(FOODS)}))`;
}

/** Sentences that tell of the cookies of a site. */
export const COOKIE_PRONOUNS = patterns(PRONOUNS, sentence);

/** Cookies that are eaten. */
export const COOKIE_FOODS = patterns(FOODS, (foods) => String.raw`\bcookies? (?:${foods})`);

/** Other notices on cookies. */
export const COOKIE_PHRASES = patterns(
  {
    'utilizamos\\b[^.!?]{0,60}\\bcookies?': 'Utilizamos cookies propias.',
    'usamos\\b[^.!?]{0,60}\\bcookies?': 'Usamos cookies.',
    'utilizziamo\\b[^.!?]{0,60}\\bcookies?': 'Utilizziamo i cookie.',
    'używamy\\b[^.!?]{0,60}\\bcookies?': 'Używamy plików cookies.',
    'wykorzystujemy\\b[^.!?]{0,60}\\bcookies?': 'Wykorzystujemy pliki cookies.',
    'accept (?:all )?(?:the )?(?:use of )?cookies': 'Accept all cookies',
    'manage cookies': 'Manage cookies',
    'allow (?:all )?cookies': 'Allow all cookies',
    'reject (?:all )?cookies': 'Reject all cookies',
    'файлы cookie': 'На сайте есть файлы cookie.',
    'cookies help us': 'Cookies help us deliver our services.',
    '(?:agree|consent) to (?:our|the) use of cookies': 'You agree to our use of cookies.',
  },
  (phrases) => String.raw`(?<!\p{L})(?:${phrases})(?!\p{L})`,
);

/** The same in scripts without blanks. */
export const COOKIE_IDEOGRAPHS = patterns(
  {
    'cookie[^。]{0,40}使用': '本网站的Cookie被使用。',
    'cookie[^。]{0,40}利用': '当サイトではCookieを利用しています。',
    '使用[^。]{0,20}cookie': '我们使用Cookie。',
  },
  (phrases) => phrases,
);

const AND_OURS: Words = {
  'we(?: and|,? &) our': 'We and our 842 partners store data.',
  'us and our': 'Help us and our partners.',
  'wir und unsere': 'Wir und unsere Partner speichern Daten.',
  'nous et nos': 'Nous et nos partenaires stockons des données.',
  'noi e i nostri': 'Noi e i nostri partner archiviamo dati.',
  'nosotros y nuestros': 'Nosotros y nuestros socios guardamos datos.',
  'wij en onze': 'Wij en onze partners slaan gegevens op.',
};
const PARTNERS: Words = {
  partner: 'We and our trusted advertising partners store data.',
  vendor: 'We and our 42 TCF vendors store data.',
  partenaire: 'Nous et nos partenaires stockons des données.',
  socios: 'Nosotros y nuestros socios guardamos datos.',
};
const KINDS: Words = {
  advertising: 'We and our advertising partners store data.',
  trusted: 'We and our trusted partners store data.',
  selected: 'We and our selected partners store data.',
  'third[- ]party': 'We and our third-party vendors store data.',
  tcf: 'We and our TCF vendors store data.',
  iab: 'We and our IAB vendors store data.',
};

function partners(ours: string): string {
  const who = `(?:(?:${anyOf(KINDS)}) ){0,3}(?:${anyOf(PARTNERS)})`;
  return String.raw`(?<!\p{L})(?:${ours}) (?:up to )?(?:[\d.,]{1,6} )?${who}`;
}

/** Sentences that tell of others who want to know the reader. */
export const PARTNER_OWNERS = patterns(AND_OURS, partners);

export const PRIVACY_PHRASES = patterns(
  {
    'we value your privacy': 'We value your privacy',
    'we respect your privacy': 'We respect your privacy',
    'we care about your privacy': 'We care about your privacy',
    'store and/or access information on a device': 'Store and/or access information on a device.',
  },
  (phrases) => String.raw`\b(?:${phrases})\b`,
);

/** Titles of pages whose subject all of this is. */
export const PRIVACY_TITLES = patterns(
  {
    cookie: 'Cookies on this site',
    privacy: 'Privacy statement',
    datenschutz: 'Datenschutzerklärung',
    gdpr: 'GDPR',
    dsgvo: 'Die DSGVO',
    confidentialité: 'Politique de confidentialité',
  },
  (words) => words,
);
