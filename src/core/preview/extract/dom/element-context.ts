import type { Element } from 'domhandler';

import { alternatives } from '../alternatives.js';
import { TIER, tierOf, type ContentTier } from '../text/content-tier.js';
import { isBlock, isSkipped, type Attributes } from './elements.js';

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
  /** Of the picture element around it, if any. */
  readonly sets: SourceSets | null;
}

/** Where a page starts. */
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
