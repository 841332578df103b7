import { alternatives } from '../alternatives.js';
import type { Attributes } from '../dom/elements.js';

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
export function isMarginalToImages(name: string, attribs: Attributes, inContent: boolean): boolean {
  if (MARGIN.has(name) || (name === 'header' && !inContent)) return true;
  const role = attribs['role']?.toLowerCase();
  if (role !== undefined && (MARGIN_ROLES.has(role) || (role === 'banner' && !inContent))) return true;
  const classes = BOXES.has(name) ? attribs['class'] : undefined;
  return classes !== undefined && MARGIN_BOX.test(classes.slice(0, 300));
}
