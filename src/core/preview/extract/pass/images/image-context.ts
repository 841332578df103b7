import { MARGIN_BOXES } from '../../vocabulary/image-regions.js';
import type { Attributes } from '../tag-reader.js';

/** The srcsets of the sources of one picture element so far, in document order. */
export interface SourceSets {
  readonly plain: string[];
  /** In formats that few clients show. */
  readonly rare: string[];
}

/** What an element means for the images inside it. */
export interface ImageContext {
  /** Beside what the page is about: its head and foot, menus, teasers, share buttons. */
  readonly isMargin: boolean;
  readonly inNoscript: boolean;
  /** Of the picture element around it, if any. */
  readonly sets: SourceSets | null;
}

/** Where a page starts. */
export const PAGE_IMAGES: ImageContext = { isMargin: false, inNoscript: false, sets: null };

const MARGIN = new Set('nav aside footer dialog template'.split(' '));
const MARGIN_ROLES = new Set(
  'navigation contentinfo search complementary dialog alertdialog alert directory menu menubar toolbar'.split(
    ' ',
  ),
);
/** Those with class names worth a look: boxes smaller than the page. */
const BOXES = new Set('div section ul ol table td figure'.split(' '));

/** What the start of an element changes for the images inside it; the same object where it changes nothing. */
export function imagesInside(
  above: { readonly inContent: boolean; readonly images: ImageContext },
  name: string,
  attributes: Attributes,
): ImageContext {
  const { images } = above;
  const isMain = name === 'main' || attributes.get('role') === 'main';
  const isMargin = !isMain && (images.isMargin || isMarginal(above.inContent, name, attributes));
  const inNoscript = images.inNoscript || name === 'noscript';
  const sets = name === 'picture' ? { plain: [], rare: [] } : images.sets;
  if (isMargin === images.isMargin && inNoscript === images.inNoscript && sets === images.sets) return images;
  return { isMargin, inNoscript, sets };
}

/** The head of an article often holds its main image, that of a page its logo. */
function isMarginal(inContent: boolean, name: string, attributes: Attributes): boolean {
  if (MARGIN.has(name) || (name === 'header' && !inContent)) return true;
  if (attributes.size === 0) return false;
  const role = attributes.get('role')?.toLowerCase();
  if (role !== undefined && (MARGIN_ROLES.has(role) || (role === 'banner' && !inContent))) return true;
  const classes = BOXES.has(name) ? attributes.get('class') : undefined;
  return classes !== undefined && MARGIN_BOXES.has(classes.slice(0, 300));
}
