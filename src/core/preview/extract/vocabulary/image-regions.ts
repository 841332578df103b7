import { patterns } from './vocabulary.js';

const SITE_PARTS = {
  sidebar: 'left-sidebar',
  footer: 'site-footer',
  nav: 'main-nav',
  navbar: 'navbar',
  navigation: 'page-navigation',
  menu: 'right-menu',
};

/** Class names of boxes beside what a page is about, whole: `sidebar` is one, `content-with-sidebar` is none. */
export const MARGIN_BOXES = patterns(
  {
    [`(?:site-|page-|main-|left-|right-)?(?:${Object.keys(SITE_PARTS).join('|')})`]: 'left-sidebar',
    'widgets?': 'widget',
    'widget-area': 'widget-area',
    'related(?:-(?:posts|articles|content|stories|items|products))?': 'related-posts',
    'recommend(?:ed|ations)': 'recommended',
    '(?:social|share|sharing)(?:-(?:bar|buttons?|icons?|links|list|media))?': 'share-buttons',
    'comments?(?:-(?:list|area|section))?': 'comments',
    '(?:author|byline|avatar)(?:[_-]\\S{0,30})?': 'author-bio',
    'ads?': 'box ad',
    'ad-(?:container|slot|wrapper|banner|unit)': 'ad-slot',
    'advert(?:s|isement)?': 'advertisement',
    promo: 'promo',
    'sponsors?': 'sponsors',
    taboola: 'taboola',
    outbrain: 'outbrain',
    'cookie-(?:banner|notice|consent)': 'cookie-notice',
    newsletter: 'newsletter',
  },
  (names) => String.raw`(?:^|\s)(?:${names})(?:$|\s)`,
);
