import type { Element } from 'domhandler';

import { alternatives } from '../../charset/visible-text.js';

/** Where text is broken into paragraphs; anything else, unknown names included, may stand inside a sentence. */
const BLOCK = new Set(
  (
    'address article aside blockquote body caption center col colgroup dd details dialog dir div dl dt fieldset ' +
    'figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li listing ' +
    'main marquee menu nav noframes ol optgroup option p plaintext pre search section summary table tbody td tfoot ' +
    'th thead tr ul xmp'
  ).split(' '),
);
/** Elements whose text no description of `standard` is made of. */
const SKIPPED = new Set(
  'header nav aside footer script noscript style svg iframe video canvas img picture'.split(' '),
);

/** Is text broken into paragraphs by this element? */
export function isBlock(name: string): boolean {
  return BLOCK.has(name);
}

/** Does no description of `standard` contain the text of this element? */
export function isSkipped(name: string): boolean {
  return SKIPPED.has(name);
}

/** Values by lower-case name; the first of equal names counts, as in browsers. */
export type Attributes = Readonly<Record<string, string>>;

/** Characters of an address that is no data URL. */
export const MAX_ADDRESS_LENGTH = 8_192;
/** Characters of any other value of an attribute. */
export const MAX_VALUE_LENGTH = 65_536;
/** The same for images written as data URLs. */
const MAX_DATA_LENGTH = 2_097_152;

/** Is a value short enough to be looked at? Data URLs may be longer than others. */
export function isKept(value: string, limit: number): boolean {
  return value.length <= limit || (value.startsWith('data:') && value.length <= MAX_DATA_LENGTH);
}

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
const CONSENT_BOXES =
  'banner|notice|bar|law|popup|modal|message|overlay|dialog|disclaimer|wall|layer|prompt|settings|hinweis|toast|' +
  'notification|disclosure|manager|alert|warning';
/** Class names and ids of consent dialogs; `has-cookie-banner` is none. */
const CONSENT_BOX = new RegExp(
  alternatives(String.raw`
    (?:^|[\s_-])(?:${CONSENT_MAKERS})(?=$|[\s_-])
    (?<!(?:has|no|with|without|hide|show)[_-])(?:cookies?|gdpr|consent)[_-]?(?:${CONSENT_BOXES})${SET_STATE}`),
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
function tierOf(name: string, attributes: Attributes, inContent: boolean): ContentTier {
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

const SKIPPED_ROLES = new Set(['directory', 'menu', 'menubar', 'toolbar']);
/** Elements whose line breaks count. */
const WITH_LINES = new Set(['pre', 'listing', 'xmp', 'plaintext']);
/** What holds all of a page: neither names nor styles say anything of the text inside. */
const ROOTS = new Set(['html', 'body']);

/** The srcsets of the sources of one picture element so far, in document order. */
export interface SourceSets {
  readonly plain: string[];
  /** In formats that few clients show. */
  readonly rare: string[];
}

/** What an element means for the text and images inside it. */
export interface ElementContext {
  readonly inLink: boolean;
  readonly inContent: boolean;
  readonly inParagraph: boolean;
  /** Outside of what `standard` skips. */
  readonly isNodeText: boolean;
  readonly tier: ContentTier;
  /** Line breaks count, as in a text without tags. */
  readonly hasLines: boolean;
  /** Beside what the page is about, for images: its head and foot, menus, teasers, share buttons. */
  readonly isMargin: boolean;
  readonly inNoscript: boolean;
  readonly sets: SourceSets | null;
}

export const PAGE_CONTEXT: ElementContext = {
  inLink: false,
  inContent: false,
  inParagraph: false,
  isNodeText: true,
  tier: TIER.main,
  hasLines: false,
  isMargin: false,
  inNoscript: false,
  sets: null,
};

/** What an element changes for what is inside it. */
export function contextInside(above: ElementContext, { name, attribs }: Element): ElementContext {
  const role = attribs['role'] ?? '';
  const isMain = name === 'main' || role === 'main' || attribs['itemprop'] === 'articleBody';
  const isWhole = isMain || name === 'article' || ROOTS.has(name);
  const inContent = above.inContent || isMain || name === 'article';
  // The main part is not inside a menu: one above it was left open.
  const isLeftOpen = isMain && above.tier > TIER.main && above.tier < TIER.none;
  const outer = isLeftOpen ? TIER.main : above.tier;
  const own = isWhole ? TIER.main : tierOf(name, above.tier > TIER.aside ? {} : attribs, inContent);
  return {
    inLink: (above.inLink && !isLeftOpen) || (name === 'a' && 'href' in attribs),
    inContent,
    inParagraph: name === 'p' || (above.inParagraph && !isBlock(name)),
    isNodeText: above.isNodeText && !isSkipped(name) && !SKIPPED_ROLES.has(role),
    tier: own > outer ? own : outer,
    hasLines: above.hasLines || WITH_LINES.has(name),
    isMargin: !isMain && (above.isMargin || isMarginalToImages(name, attribs, above.inContent)),
    inNoscript: above.inNoscript || name === 'noscript',
    sets: name === 'picture' ? { plain: [], rare: [] } : above.sets,
  };
}

const MARGIN = new Set('nav aside footer dialog template'.split(' '));
const MARGIN_ROLES = new Set(
  'navigation contentinfo search complementary dialog alertdialog alert directory menu menubar toolbar'.split(
    ' ',
  ),
);
/** Those with class names worth a look: boxes smaller than the page. */
const BOXES = new Set('div section ul ol table td figure'.split(' '));

/** Class names of such boxes, whole: `sidebar` is one, `content-with-sidebar` is none. */
const MARGIN_BOX = new RegExp(
  String.raw`(?:^|\s)(?:${alternatives(String.raw`
    (?:site-|page-|main-|left-|right-)?(?:sidebar|footer|nav|navbar|navigation|menu)
    widgets?|widget-area|related(?:-(?:posts|articles|content|stories|items|products))?|recommend(?:ed|ations)
    (?:social|share|sharing)(?:-(?:bar|buttons?|icons?|links|list|media))?|comments?(?:-(?:list|area|section))?
    (?:author|byline|avatar)(?:[_-]\S{0,30})?|ads?|ad-(?:container|slot|wrapper|banner|unit)|advert(?:s|isement)?
    promo|sponsors?|taboola|outbrain|cookie-(?:banner|notice|consent)|newsletter`)})(?:$|\s)`,
  'i',
);

/**
 * Are the images inside an element beside what the page is about? The head of an article often holds its main image,
 * that of a page its logo.
 */
function isMarginalToImages(name: string, attribs: Attributes, inContent: boolean): boolean {
  if (MARGIN.has(name) || (name === 'header' && !inContent)) return true;
  const role = attribs['role']?.toLowerCase();
  if (role !== undefined && (MARGIN_ROLES.has(role) || (role === 'banner' && !inContent))) return true;
  const classes = BOXES.has(name) ? attribs['class'] : undefined;
  return classes !== undefined && MARGIN_BOX.test(classes.slice(0, 300));
}
