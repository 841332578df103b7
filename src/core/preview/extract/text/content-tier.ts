import { BESIDE_BOXES, BESIDE_NAMES, CONSENT_BOXES, CONSENT_MAKERS } from '../vocabulary/text-regions.js';
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
/** Any of them; cheaper than they are, and most elements have none. */
const HINT =
  /cookie|consent|gdpr|onetrust|ot-sdk|didomi|qc-cmp|usercentrics|sp_message|trust[ea]|iubenda|cmplz|cky|borlabs|klaro|cc-[wb]|tarteauc|moove_g|osano|sr-only|hidden|reader|skip|breadcrumb|newsletter|paywall/i;
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
  if (!HINT.test(start)) return 0;
  if (CONSENT_MAKERS.has(start) || CONSENT_BOXES.has(start)) return 2;
  return BESIDE_BOXES.has(start) || BESIDE_NAMES.has(start) ? 1 : 0;
}

function isHidden(style: string | undefined): boolean {
  if (style === undefined) return false;
  const plain = style.slice(0, 1_000).replace(/\s/g, '').toLowerCase();
  return plain.includes('display:none') || plain.includes('visibility:hidden');
}

function named(tier: ContentTier, list: string): [string, ContentTier][] {
  return list.split(' ').map((name) => [name, tier]);
}
