import { alternatives } from '../alternatives.js';
import type { Attributes } from '../dom/elements.js';

/**
 * How far from the text of the page a text stands: `main` its text; `aside` besides it, but all of it on some pages;
 * `margin` at the margin or hidden; `none` no text.
 */
export const TIER = { main: 0, aside: 1, margin: 2, none: 3 } as const;

export type ContentTier = (typeof TIER)[keyof typeof TIER];

const TIER_OF_NAME = new Map<string, ContentTier>([
  ...named(
    TIER.none,
    'script style template title svg textarea select option datalist noframes annotation annotation-xml img picture',
  ),
  ...named(TIER.margin, 'nav aside footer button noscript iframe video audio canvas dialog'),
  ...named(TIER.aside, 'header label figcaption object'),
]);
const TIER_OF_ROLE = new Map<string, ContentTier>([
  ...named(
    TIER.margin,
    'navigation search toolbar menu menubar directory contentinfo complementary dialog alertdialog alert',
  ),
  ...named(TIER.aside, 'banner'),
]);
/** What the makers of consent dialogs call them. */
const CONSENT_MAKERS =
  'onetrust|ot-sdk|didomi|qc-cmp2?|usercentrics|cybotcookiebot\\w*|cookiebot|sp_message|truste|trustarc|iubenda-cs|' +
  'cmplz|cky|borlabs|klaro|cc-(?:window|banner)|fc-consent|tarteaucitron|moove_gdpr|osano-cm|cookielaw';
/** Behind a box: it tells of the box only. */
const SET_STATE = '(?![_-](?:visible|shown|open|closed|active|accepted|dismissed|set))';
const BESIDE =
  'sr-only|visually-?hidden|screen-?reader(?:-text)?|skip-?(?:link|nav|to)|breadcrumbs?|newsletter|paywall';
const BOXES =
  'banner|notice|bar|law|popup|modal|message|overlay|dialog|disclaimer|wall|layer|prompt|settings|hinweis|toast|' +
  'notification|disclosure|manager|alert|warning';
/** Class names and ids of consent dialogs; `has-cookie-banner` is none. */
const CONSENT_BOX = new RegExp(
  alternatives(String.raw`
    (?:^|[\s_-])(?:${CONSENT_MAKERS})(?=$|[\s_-])
    (?<!(?:has|no|with|without|hide|show)[_-])(?:cookies?|gdpr|consent)[_-]?(?:${BOXES})${SET_STATE}`),
  'i',
);
/** Those of boxes beside the text, which hold all of it on some pages. */
const BESIDE_BOX = new RegExp(
  alternatives(String.raw`
    (?:^|[\s_-])(?:${BESIDE})(?=$|[\s_-])
    (?:^|\s)(?:cookies?|gdpr)(?=$|\s)`),
  'i',
);
/** What all of them hold some of: cheaper to look for, and most elements have none. */
const HINT = new RegExp(
  'cookie|consent|gdpr|onetrust|ot-sdk|didomi|qc-cmp|usercentrics|sp_message|trust[ea]|iubenda|cmplz|cky|borlabs|klaro|' +
    'cc-[wb]|tarteauc|moove_g|osano|sr-only|hidden|reader|skip|breadcrumb|newsletter|paywall',
  'i',
);
const HINT_LENGTH = 500;

/** What the start of an element that is not the page's own root or main part says of the text inside. */
export function tierOf(name: string, attributes: Attributes, inContent: boolean): ContentTier {
  const byName = TIER_OF_NAME.get(name) ?? TIER.main;
  if (byName > TIER.aside) return byName;
  const tier = name === 'header' && inContent ? TIER.main : byName;
  return tierByAttributes(attributes, tier);
}

function tierByAttributes(attributes: Attributes, least: ContentTier): ContentTier {
  const role = attributes['role'];
  const byRole = role === undefined ? TIER.main : (TIER_OF_ROLE.get(role.toLowerCase()) ?? TIER.main);
  if (byRole === TIER.margin || 'hidden' in attributes || isHidden(attributes['style'])) return TIER.margin;
  const byHint = tierByHints(attributes['class'], attributes['id']);
  if (byHint === TIER.margin) return TIER.margin;
  const isAside = byHint === TIER.aside || byRole === TIER.aside || attributes['aria-hidden'] === 'true';
  return isAside ? TIER.aside : least;
}

function tierByHints(className: string | undefined, id: string | undefined): ContentTier {
  if (className === undefined && id === undefined) return TIER.main;
  const start = `${className ?? ''} ${id ?? ''}`.slice(0, HINT_LENGTH);
  if (!HINT.test(start)) return TIER.main;
  if (CONSENT_BOX.test(start)) return TIER.margin;
  return BESIDE_BOX.test(start) ? TIER.aside : TIER.main;
}

function isHidden(style: string | undefined): boolean {
  if (style === undefined) return false;
  const plain = style.slice(0, 1_000).replace(/\s/g, '').toLowerCase();
  return plain.includes('display:none') || plain.includes('visibility:hidden');
}

function named(tier: ContentTier, list: string): [string, ContentTier][] {
  return list.split(' ').map((name) => [name, tier]);
}
