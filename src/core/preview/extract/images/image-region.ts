import { MARGIN_BOXES } from '../vocabulary/image-regions.js';
import type { Attributes } from '../dom/elements.js';

const MARGIN = new Set('nav aside footer dialog template'.split(' '));
const MARGIN_ROLES = new Set(
  'navigation contentinfo search complementary dialog alertdialog alert directory menu menubar toolbar'.split(
    ' ',
  ),
);
/** Those with class names worth a look: boxes smaller than the page. */
const BOXES = new Set('div section ul ol table td figure'.split(' '));

/**
 * Are the images inside an element beside what the page is about? The head of an article often holds its main image,
 * that of a page its logo.
 */
export function isMarginalToImages(name: string, attribs: Attributes, inContent: boolean): boolean {
  if (MARGIN.has(name) || (name === 'header' && !inContent)) return true;
  const role = attribs['role']?.toLowerCase();
  if (role !== undefined && (MARGIN_ROLES.has(role) || (role === 'banner' && !inContent))) return true;
  const classes = BOXES.has(name) ? attribs['class'] : undefined;
  return classes !== undefined && MARGIN_BOXES.has(classes.slice(0, 300));
}
