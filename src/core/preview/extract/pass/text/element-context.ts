import { PAGE_PICTURES, picturesInside, type PicturePlace } from '../images/image-context.js';
import { doubtOf } from './content-tier.js';
import type { Attributes } from '../tag-reader.js';
import type { TextPlace } from './text-collector.js';

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
export interface ElementPlace extends TextPlace {
  /** Path of the item this element is in: `''` for the page or a top item. */
  readonly item: string;
  /** First title, h1, h2 or h3 of the page; not inherited. */
  readonly isFirstHeading: boolean;
  readonly pictures: PicturePlace;
}

/** Where a page starts. */
export const PAGE_PLACE: ElementPlace = {
  inLink: false,
  inContent: false,
  inParagraph: false,
  isNodeText: true,
  doubt: 0,
  hasLines: false,
  item: '',
  isFirstHeading: false,
  pictures: PAGE_PICTURES,
};

/** A tag as far as it says what is inside of it. */
interface Tag {
  readonly name: string;
  readonly attributes: Attributes;
  /** Whether anybody will ask how doubtful its text is. */
  readonly readsHints: boolean;
}

/** What the start of an element changes for the text inside it. */
export function placeInside(above: ElementPlace, { name, attributes, readsHints }: Tag): ElementPlace {
  if (attributes.size === 0 && isNeutral(above, name)) return above;
  const role = attributes.get('role') ?? '';
  const isMain = name === 'main' || role === 'main' || attributes.get('itemprop') === 'articleBody';
  const inContent = above.inContent || isMain || name === 'article';
  const isWhole = isMain || name === 'article' || ROOTS.has(name);
  const hints = !readsHints || above.doubt > 1 ? NO_ATTRIBUTES : attributes;
  const own = isWhole ? 0 : doubtOf(name, hints, inContent);
  const outer = isMain ? startOfMain(above) : above;
  return {
    inLink: outer.inLink || (name === 'a' && attributes.has('href')),
    inContent,
    inParagraph: name === 'p' || (outer.inParagraph && !BLOCK.has(name)),
    isNodeText: above.isNodeText && !SKIPPED.has(name) && !SKIPPED_ROLES.has(role),
    doubt: own > outer.doubt ? own : outer.doubt,
    hasLines: outer.hasLines || WITH_LINES.has(name),
    item: attributes.has('itemscope') ? itemPath(above.item, attributes.get('itemprop')) : above.item,
    isFirstHeading: false,
    pictures: picturesInside(above, name, attributes),
  };
}

/** Most elements change nothing for their text. */
function isNeutral(above: ElementPlace, name: string): boolean {
  if (above.isFirstHeading || name === 'p' || name === 'main' || name === 'article') return false;
  if (SKIPPED.has(name) || WITH_LINES.has(name) || (above.inParagraph && BLOCK.has(name))) return false;
  return doubtOf(name, NO_ATTRIBUTES, false) === 0;
}

/** The main part is not inside a menu: one above it was left open. */
function startOfMain(above: ElementPlace): ElementPlace {
  return above.doubt > 0 && above.doubt < 3 ? { ...above, doubt: 0, inLink: false } : above;
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
