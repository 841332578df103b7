import type { Attributes } from '../tag-reader.js';

/**
 * How far from the text of the page a text stands: its text; besides it, but all of it on some pages; at the margin
 * or hidden; no text.
 */
export type Doubt = 0 | 1 | 2 | 3;

const DOUBT_OF_NAME = new Map<string, Doubt>([
  ...named(
    3,
    'script style template title svg textarea select option datalist noframes annotation annotation-xml img picture',
  ),
  ...named(2, 'nav aside footer button noscript iframe video audio canvas dialog'),
  ...named(1, 'header label figcaption object'),
]);
const DOUBT_OF_ROLE = new Map<string, Doubt>([
  ...named(
    2,
    'navigation search toolbar menu menubar directory contentinfo complementary dialog alertdialog alert',
  ),
  ...named(1, 'banner'),
]);
/** Makers of consent dialogs, and what sites call their own; `cookies-not-set` says nothing. */
const CONSENT_HINT =
  /(?:^|[\s_-])(?:onetrust|ot-sdk|didomi|qc-cmp2?|usercentrics|cybotcookiebot\w*|cookiebot|sp_message|truste|trustarc|iubenda-cs|cmplz|cky|borlabs|klaro|cc-(?:window|banner)|fc-consent|tarteaucitron|moove_gdpr|osano-cm|cookielaw)(?=$|[\s_-])|(?<!(?:has|no|with|without|hide|show)[_-])(?:cookies?|gdpr|consent)[_-]?(?:banner|notice|bar|law|popup|modal|message|overlay|dialog|disclaimer|wall|layer|prompt|settings|hinweis|toast|notification|disclosure|manager|alert|warning)(?![_-](?:visible|shown|open|closed|active|accepted|dismissed|set))/i;
const BESIDE_HINT =
  /(?:^|[\s_-])(?:sr-only|visually-?hidden|screen-?reader(?:-text)?|skip-?(?:link|nav|to)|breadcrumbs?|newsletter|paywall)(?=$|[\s_-])|(?:^|\s)(?:cookies?|gdpr)(?=$|\s)/i;
/** Any of both; cheaper than they are, and most elements have none. */
const HINT =
  /cookie|consent|gdpr|onetrust|ot-sdk|didomi|qc-cmp|usercentrics|sp_message|trust[ea]|iubenda|cmplz|cky|borlabs|klaro|cc-[wb]|tarteauc|moove_g|osano|sr-only|hidden|reader|skip|breadcrumb|newsletter|paywall/i;
const HINT_LENGTH = 500;

/** What the start of an element that is not the page's own root or main part says of the text inside. */
export function doubtOf(name: string, attributes: Attributes, inContent: boolean): Doubt {
  const byName = DOUBT_OF_NAME.get(name) ?? 0;
  if (byName > 1) return byName;
  const doubt = name === 'header' && inContent ? 0 : byName;
  return attributes.size === 0 ? doubt : doubtByAttributes(attributes, doubt);
}

function doubtByAttributes(attributes: Attributes, least: Doubt): Doubt {
  const role = attributes.get('role');
  const byRole = role === undefined ? 0 : (DOUBT_OF_ROLE.get(role.toLowerCase()) ?? 0);
  if (byRole === 2 || attributes.has('hidden') || isHidden(attributes.get('style'))) return 2;
  const byHint = doubtByHints(attributes.get('class'), attributes.get('id'));
  if (byHint === 2) return 2;
  return byHint === 1 || byRole === 1 || attributes.get('aria-hidden') === 'true' ? 1 : least;
}

function doubtByHints(className: string | undefined, id: string | undefined): Doubt {
  if (className === undefined && id === undefined) return 0;
  const start = `${className ?? ''} ${id ?? ''}`.slice(0, HINT_LENGTH);
  if (!HINT.test(start)) return 0;
  if (CONSENT_HINT.test(start)) return 2;
  return BESIDE_HINT.test(start) ? 1 : 0;
}

function isHidden(style: string | undefined): boolean {
  if (style === undefined) return false;
  const plain = style.slice(0, 1_000).replace(/\s/g, '').toLowerCase();
  return plain.includes('display:none') || plain.includes('visibility:hidden');
}

function named(doubt: Doubt, list: string): [string, Doubt][] {
  return list.split(' ').map((name) => [name, doubt]);
}
