import type { Element } from 'domhandler';

import { alternatives } from './values.js';

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

/** Characters of an address, and of an image written as a data URL. */
const MAX_ADDRESS_LENGTH = 8_192;
const MAX_DATA_LENGTH = 2_097_152;

/** Is a value short enough to be looked at? Data URLs may be longer than others. */
export function isKept(value: string, limit = MAX_ADDRESS_LENGTH): boolean {
  return value.length <= limit || (value.startsWith('data:') && value.length <= MAX_DATA_LENGTH);
}

type Attributes = Element['attribs'];

/**
 * How far from the text of the page a text stands: `main` its text; `aside` besides it, but all of it on some pages;
 * `margin` at the margin or hidden; `none` no text.
 */
export const TIER = { main: 0, aside: 1, margin: 2, none: 3 } as const;

export type ContentTier = (typeof TIER)[keyof typeof TIER];

const TIER_OF_NAME = new Map<string, ContentTier>([
  ...named(
    TIER.none,
    'script style template title svg textarea select option datalist noframes annotation annotation-xml',
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
/** Class names and ids of consent dialogs; `has-cookie-banner` is none. */
const CONSENT_BOX = new RegExp(
  alternatives(String.raw`
    (?:^|[\s_-])(?:onetrust|ot-sdk|didomi|qc-cmp2?|usercentrics|cybotcookiebot\w*|cookiebot|sp_message)(?=$|[\s_-])
    (?<!(?:has|no|with|without|hide|show)[_-])(?:cookies?|gdpr|consent)[_-]?(?:banner|notice|bar|law|popup|modal)
    (?<!(?:has|no|with|without|hide|show)[_-])(?:cookies?|gdpr|consent)[_-]?(?:message|overlay|dialog|wall|hinweis)`),
  'i',
);
/** Those of boxes beside the text, whole: `sidebar` is one, `content-with-sidebar` is none. */
const BESIDE_BOX = new RegExp(
  String.raw`(?:^|\s)(?:${alternatives(String.raw`
    (?:site-|page-|main-|left-|right-)?(?:sidebar|footer|nav|navbar|navigation|menu)|breadcrumbs?|newsletter|paywall
    sr-only|visually-?hidden|screen-?reader(?:-text)?|skip-?(?:link|nav|to)|cookies?|gdpr|widgets?(?! Blog\b)|widget-area
    related(?:-(?:posts|articles|content|stories|items|products))?|recommend(?:ed|ations)
    (?:social|share|sharing)(?:-(?:bar|buttons?|icons?|links|list|media))?|comments?(?:-(?:list|area|section))?
    (?:author|byline|avatar)(?:[_-]\S{0,30})?|ads?|ad-(?:container|slot|wrapper|banner|unit)|advert(?:s|isement)?
    promo|sponsors?|taboola|outbrain`)})(?:$|\s)`,
  'i',
);
const HINT_LENGTH = 500;

/** What the start of an element that is not the page's own root or main part says of the text inside. */
function tierOf(name: string, attributes: Attributes, inContent: boolean): ContentTier {
  const byName = TIER_OF_NAME.get(name) ?? TIER.main;
  if (byName > TIER.aside) return byName;
  const least = name === 'header' && inContent ? TIER.main : byName;
  const { role, class: className, id, style } = attributes;
  const byRole = role === undefined ? TIER.main : (TIER_OF_ROLE.get(role.toLowerCase()) ?? TIER.main);
  if (byRole === TIER.margin || 'hidden' in attributes || isHidden(style)) return TIER.margin;
  for (const hint of [className, id]) {
    if (hint === undefined) continue;
    const start = hint.slice(0, HINT_LENGTH);
    if (CONSENT_BOX.test(start)) return TIER.margin;
    if (BESIDE_BOX.test(start)) return TIER.aside;
  }
  return byRole === TIER.aside || attributes['aria-hidden'] === 'true' ? TIER.aside : least;
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

export const PAGE_CONTEXT = {
  inLink: false,
  inContent: false,
  inParagraph: false,
  /** Outside of what `standard` skips. */
  isNodeText: true,
  tier: TIER.main as ContentTier,
  /** Line breaks count, as in a text without tags. */
  hasLines: false,
  inNoscript: false,
  /** The srcsets of the sources of the picture element around, so far. */
  sets: null as string[] | null,
};

/** What an element means for the text and images inside it. */
export type ElementContext = Readonly<typeof PAGE_CONTEXT>;

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
    isNodeText: above.isNodeText && !SKIPPED.has(name) && !SKIPPED_ROLES.has(role),
    tier: own > outer ? own : outer,
    hasLines: above.hasLines || WITH_LINES.has(name),
    inNoscript: above.inNoscript || name === 'noscript',
    sets: name === 'picture' ? [] : above.sets,
  };
}
