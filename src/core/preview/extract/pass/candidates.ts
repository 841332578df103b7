import type { ContentTier } from './text/content-tier.js';

/** Names of what states a description. */
export const DESCRIPTIONS = ['og:description', 'twitter:description', 'description'];

/** What tags may state so that nothing in the body can better it. */
export type StatedFact = 'title' | 'description' | 'image' | 'author' | 'published';

/** One meta tag with a key and a content; `key` keeps its case. */
export interface MetaTag {
  readonly attribute: 'property' | 'name' | 'itemprop' | 'http-equiv';
  readonly key: string;
  readonly content: string;
}

/** One `meta http-equiv=refresh`. */
export interface RefreshTag {
  readonly content: string;
  /** Only clients without scripts follow it. */
  readonly inNoscript: boolean;
}

/** One link tag with rel and href, attributes as written. */
export interface LinkTag {
  readonly rel: string;
  readonly type: string;
  readonly href: string;
  readonly sizes: string;
}

/** One image of the page, attributes as written. */
export interface ImageTag {
  /** Null where the attribute is missing, and for all but `img`. */
  readonly src: string | null;
  /** Address that scripts load later (`data-src` and its kin), of a video's poster or a background; or null. */
  readonly lazySrc: string | null;
  readonly srcset: string | null;
  /** Further attributes that look like the address or srcset of an image, best first. */
  readonly others: readonly string[];
  /** What the sources of the picture element around it offer. */
  readonly sets: readonly string[];
  readonly width: string;
  readonly height: string;
  readonly style: string;
  /** Class and id, for hints such as `logo`. */
  readonly hints: string;
  readonly alt: string;
  readonly kind: 'img' | 'video' | 'background';
  readonly region: 'content' | 'body' | 'margin';
  readonly inNoscript: boolean;
}

/** One block of running text, inline tags merged, blanks collapsed. */
export interface TextBlock {
  /** Holds line breaks where the page shows them. */
  readonly text: string;
  /** Characters of it inside links. */
  readonly linked: number;
  readonly isParagraph: boolean;
  readonly isContent: boolean;
  /** Behind the start of the first h1. */
  readonly isAfterHeading: boolean;
  readonly tier: ContentTier;
}

/** Signs of a page that is not the page asked for. */
export type InterstitialMark = 'challenge' | 'guard' | 'password' | 'consent';

/** Everything one pass finds; every list is in document order and capped, so is every text. */
export interface Candidates {
  readonly metas: MetaTag[];
  /** Keys of `metas` in lower case. */
  readonly metaKeys: Set<string>;
  /** By values that say something and are not too long. */
  readonly stated: Set<StatedFact>;
  readonly refreshes: RefreshTag[];
  readonly links: LinkTag[];
  /** The `img` elements; all that `standard` knows. */
  readonly images: ImageTag[];
  /** AMP's images, posters of videos, backgrounds. */
  readonly moreImages: ImageTag[];
  /** Bodies of JSON-LD scripts, unparsed. */
  readonly jsonLd: string[];
  /** Microdata by path (`headline`, `author.name`). */
  readonly items: Map<string, string[]>;
  /** Whole texts of the first few of title, h1, h2, h3. */
  readonly headings: Map<string, string[]>;
  /** First direct text node of the first title, h1, h2 or h3; null without one. */
  firstHeadingText: string | null;
  /** Text nodes of the body outside of menus and the like, as many as a summary can use. */
  readonly textNodes: string[];
  readonly blocks: TextBlock[];
  /** Texts of elements marked as author: `rel=author` links, then class names. */
  readonly authors: string[];
  readonly bylines: string[];
  /** `datetime` of time elements. */
  readonly times: string[];
  /** `article` elements outside of others, and whether the first h1 is in one. */
  articles: number;
  isHeadingInArticle: boolean;
  base: string | null;
  readonly marks: Set<InterstitialMark>;
  /** Characters of data URLs kept, and of other values of meta tags. */
  dataText: number;
  metaText: number;
  /** Nothing but blanks, comments and declarations. */
  isEmpty: boolean;
  /** Characters of visible text, roughly; not counted beyond 10,000. */
  textLength: number;
}

/** Nothing found yet. */
export function emptyCandidates(): Candidates {
  return {
    metas: [],
    metaKeys: new Set(),
    stated: new Set(),
    refreshes: [],
    links: [],
    images: [],
    moreImages: [],
    jsonLd: [],
    items: new Map(),
    headings: new Map(),
    firstHeadingText: null,
    textNodes: [],
    blocks: [],
    authors: [],
    bylines: [],
    times: [],
    articles: 0,
    isHeadingInArticle: false,
    base: null,
    marks: new Set(),
    dataText: 0,
    metaText: 0,
    isEmpty: true,
    textLength: 0,
  };
}
