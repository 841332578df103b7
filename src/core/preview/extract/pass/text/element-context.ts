import { PAGE_IMAGES, imagesInside, type ImageContext } from '../images/image-context.js';
import { TIER, tierOf } from './content-tier.js';
import type { Attributes } from '../tag-reader.js';
import type { TextContext } from './text-collector.js';

/** Elements whose text no description of `standard` is made of. */
const SKIPPED = new Set(
  'header nav aside footer script noscript style svg iframe video canvas img picture'.split(' '),
);
const SKIPPED_ROLES = new Set(['directory', 'menu', 'menubar', 'toolbar']);
/** Where text is broken into paragraphs; anything else, unknown names included, may stand inside a sentence. */
const BLOCK = new Set(
  (
    'address article aside blockquote body caption center col colgroup dd details dialog dir div dl dt fieldset ' +
    'figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li listing ' +
    'main marquee menu nav noframes ol optgroup option p plaintext pre search section summary table tbody td tfoot ' +
    'th thead tr ul xmp'
  ).split(' '),
);
/** Elements whose line breaks count. */
const WITH_LINES = new Set(['pre', 'listing', 'xmp', 'plaintext']);
/** What holds all of a page: neither names nor styles say anything of the text inside. */
const ROOTS = new Set(['html', 'body']);

const NO_ATTRIBUTES: Attributes = new Map();

/** What is remembered of an open element. */
export interface ElementContext extends TextContext {
  /** Path of the item this element is in: `''` for the page or a top item. */
  readonly item: string;
  /** First title, h1, h2 or h3 of the page; not inherited. */
  readonly isFirstHeading: boolean;
  readonly images: ImageContext;
}

/** Where a page starts. */
export const PAGE_CONTEXT: ElementContext = {
  inLink: false,
  inContent: false,
  inParagraph: false,
  isNodeText: true,
  tier: TIER.main,
  hasLines: false,
  item: '',
  isFirstHeading: false,
  images: PAGE_IMAGES,
};

/** A tag as far as it says what is inside of it. */
interface Tag {
  readonly name: string;
  readonly attributes: Attributes;
  /** Whether anybody will ask for the content tier of its text. */
  readonly readsHints: boolean;
}

/** What the start of an element changes for the text inside it. */
export function contextInside(above: ElementContext, { name, attributes, readsHints }: Tag): ElementContext {
  if (attributes.size === 0 && isNeutral(above, name)) return above;
  const role = attributes.get('role') ?? '';
  const isMain = name === 'main' || role === 'main' || attributes.get('itemprop') === 'articleBody';
  const inContent = above.inContent || isMain || name === 'article';
  const isWhole = isMain || name === 'article' || ROOTS.has(name);
  const hints = !readsHints || above.tier > TIER.aside ? NO_ATTRIBUTES : attributes;
  const own = isWhole ? TIER.main : tierOf(name, hints, inContent);
  const outer = isMain ? startOfMain(above) : above;
  return {
    inLink: outer.inLink || (name === 'a' && attributes.has('href')),
    inContent,
    inParagraph: name === 'p' || (outer.inParagraph && !BLOCK.has(name)),
    isNodeText: above.isNodeText && !SKIPPED.has(name) && !SKIPPED_ROLES.has(role),
    tier: own > outer.tier ? own : outer.tier,
    hasLines: outer.hasLines || WITH_LINES.has(name),
    item: attributes.has('itemscope') ? itemPath(above.item, attributes.get('itemprop')) : above.item,
    isFirstHeading: false,
    images: imagesInside(above, name, attributes),
  };
}

/** Most elements change nothing for their text. */
function isNeutral(above: ElementContext, name: string): boolean {
  if (above.isFirstHeading || name === 'p' || name === 'main' || name === 'article') return false;
  if (SKIPPED.has(name) || WITH_LINES.has(name) || (above.inParagraph && BLOCK.has(name))) return false;
  return tierOf(name, NO_ATTRIBUTES, false) === TIER.main;
}

/** The main part is not inside a menu: one above it was left open. */
function startOfMain(above: ElementContext): ElementContext {
  return above.tier > TIER.main && above.tier < TIER.none
    ? { ...above, tier: TIER.main, inLink: false }
    : above;
}

/** Is text broken into paragraphs by this element? */
export function isBlock(name: string): boolean {
  return BLOCK.has(name);
}

/** Does no description contain the text of this element? */
export function isSkipped(name: string): boolean {
  return SKIPPED.has(name);
}

/** At most one level of naming matters (`author.name`); deeper items keep their own last two names. */
export function itemPath(above: string, property: string | undefined): string {
  const name = (property ?? '').trim().split(/\s/, 1)[0]?.slice(0, 60) ?? '';
  if (name === '') return '';
  const last = above.slice(above.lastIndexOf('.') + 1);
  return last === '' ? name : `${last}.${name}`;
}
