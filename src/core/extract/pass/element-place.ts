import { PAGE_PICTURES, picturesInside, type PicturePlace } from './picture-place.js';
import type { Attributes } from './tag-reader.js';
import type { TextPlace } from './text-collector.js';

/** Elements whose text no description is made of. */
const SKIPPED = new Set(
  'header nav aside footer script noscript style svg iframe video canvas img picture'.split(' '),
);
const SKIPPED_ROLES = new Set(['directory', 'menu', 'menubar', 'toolbar']);
/** More that no reader would call the page's text. */
const UNREAD = new Set(
  'template button label select option textarea object audio dialog form figcaption math noframes title'.split(
    ' ',
  ),
);
const UNREAD_ROLES = new Set([
  'navigation',
  'banner',
  'contentinfo',
  'search',
  'complementary',
  'dialog',
  'alertdialog',
  'alert',
]);
const UNREAD_HINT =
  /cookie|consent|gdpr|sr-only|visually-hidden|screen-reader|skip-link|breadcrumb|newsletter|paywall/i;
const INLINE = new Set(
  (
    'a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd mark nobr q rp rt ruby s samp small ' +
    'span strike strong sub sup time tt u var wbr script style noscript'
  ).split(' '),
);
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
  isBlockText: true,
  item: '',
  isFirstHeading: false,
  pictures: PAGE_PICTURES,
};

/** What the start of an element changes for the text inside it. */
export function placeInside(above: ElementPlace, name: string, attributes: Attributes): ElementPlace {
  const role = attributes.get('role') ?? '';
  const isNodeText = above.isNodeText && !SKIPPED.has(name) && !SKIPPED_ROLES.has(role);
  return {
    inLink: above.inLink || name === 'a',
    inContent: above.inContent || isContent(name, role, attributes),
    inParagraph: name === 'p' || (above.inParagraph && INLINE.has(name)),
    isNodeText,
    isBlockText: isNodeText && above.isBlockText && !UNREAD.has(name) && !isUnread(role, attributes),
    item: attributes.has('itemscope') ? itemPath(above.item, attributes.get('itemprop')) : above.item,
    isFirstHeading: false,
    pictures: picturesInside(above, name, attributes),
  };
}

/** Is text broken into paragraphs by this element? */
export function isInline(name: string): boolean {
  return INLINE.has(name);
}

/** Does no description contain the text of this element? */
export function isSkipped(name: string): boolean {
  return SKIPPED.has(name);
}

function isContent(name: string, role: string, attributes: Attributes): boolean {
  return (
    name === 'article' || name === 'main' || role === 'main' || attributes.get('itemprop') === 'articleBody'
  );
}

function isUnread(role: string, attributes: Attributes): boolean {
  if (role !== '' && UNREAD_ROLES.has(role.toLowerCase())) return true;
  if (attributes.size === 0) return false;
  if (attributes.has('hidden') || attributes.get('aria-hidden') === 'true') return true;
  const style = attributes.get('style');
  if (style !== undefined && isHidden(style)) return true;
  const hints = `${attributes.get('class') ?? ''} ${attributes.get('id') ?? ''}`;
  return hints.length > 1 && UNREAD_HINT.test(hints.slice(0, 500));
}

function isHidden(style: string): boolean {
  const plain = style.slice(0, 1_000).replace(/\s/g, '').toLowerCase();
  return plain.includes('display:none') || plain.includes('visibility:hidden');
}

/** At most one level of naming matters (`author.name`); deeper items keep their own last two names. */
export function itemPath(above: string, property: string | undefined): string {
  const name = (property ?? '').trim().split(/\s/, 1)[0]?.slice(0, 60) ?? '';
  if (name === '') return '';
  const last = above.slice(above.lastIndexOf('.') + 1);
  return last === '' ? name : `${last}.${name}`;
}
