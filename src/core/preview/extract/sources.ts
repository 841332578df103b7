import { isKeyOf } from '../../base/json/is-record.js';
import type { Page, MetaTag } from './dom/page.js';
import { readLinkedData, type LinkedData } from './linked-data/linked-data.js';
import { cleanAddress } from './page-address.js';
import { describeByText, titleByText } from './page-text.js';

/** One place where a value may stand. */
export interface Source {
  readonly selector: string;
  /** Where it stands in them. */
  readonly attribute: 'content' | 'href' | 'src' | 'datetime' | 'text';
  /** Which of the elements: key of a meta tag, rel of a link, path in microdata, field of JSON-LD. */
  readonly key: string;
}

const of =
  (selector: string, attribute: Source['attribute']) =>
  (...keys: string[]) =>
    keys.map((key): Source => ({ selector, attribute, key }));
const meta = of('meta', 'content');
const item = of('[itemprop]', 'content');
const jsonLd = of('script[type="application/ld+json"]', 'text');
const marked = of('[rel=author], [class]', 'text');
const pageText = of('body', 'text');
const heading = (...names: string[]): Source[] => names.flatMap((name) => of(name, 'text')(''));

/** Where `enhanced` looks for each value, best first: the first fitting value of the first source that has one. */
export const SOURCES = {
  'og:title': [
    ...meta('og:title', 'twitter:title'),
    ...jsonLd('title'),
    ...meta('title', 'parsely-title', 'sailthru.title', 'citation_title'),
    ...meta('dc.title', 'dcterms.title', 'dc:title'),
    ...heading('title'),
    ...item('headline'),
    ...heading('h1', 'h2', 'h3'),
    ...item('name'),
    ...pageText('title'),
  ],
  'og:description': [
    ...meta('og:description', 'twitter:description', 'description'),
    ...jsonLd('description'),
    ...meta('dc.description', 'dcterms.description', 'dc:description', 'dcterms.abstract'),
    ...meta('dcterm:description', 'sailthru.description', 'citation_abstract'),
    ...meta('weibo:article:description', 'weibo:webpage:description'),
    ...item('description'),
    ...meta('abstract'),
    ...pageText('description'),
  ],
  'og:site_name': [
    ...meta('og:site_name'),
    ...jsonLd('siteName', 'publisher'),
    ...meta('application-name', 'apple-mobile-web-app-title', 'citation_journal_title'),
    ...meta('dc.publisher', 'dcterms.publisher'),
    ...item('publisher.name'),
    ...of('title', 'text')('site'),
    ...meta('al:android:app_name', 'twitter:site'),
  ],
  'article:author': [
    ...jsonLd('author'),
    ...meta('author', 'article:author', 'parsely-author', 'sailthru.author', 'byl', 'citation_author'),
    ...meta('dc.creator', 'dcterms.creator', 'dc:creator', 'dcterm:creator'),
    ...item('author.name', 'author'),
    ...marked('rel', 'class'),
  ],
  'article:published_time': [
    ...meta('article:published_time'),
    ...jsonLd('published'),
    ...meta('og:published_time'),
    ...item('datePublished', 'uploadDate'),
    ...meta('parsely-pub-date', 'sailthru.date', 'citation_publication_date', 'citation_date'),
    ...meta('dc.date.issued', 'dcterms.issued', 'dcterms.created', 'dc.date.created', 'dc.date'),
    ...meta('dcterms.date', 'pubdate', 'publishdate', 'publish-date', 'date', 'ptime'),
    ...of('time', 'datetime')('first'),
  ],
} as const satisfies Record<string, readonly Source[]>;

export type FoundKey = keyof typeof SOURCES;

/** Images a page names itself, best first; images of its body and its icons follow. */
export const IMAGE_SOURCES: readonly Source[] = [
  ...meta('og:image', 'og:image:secure_url', 'og:image:url', 'twitter:image', 'twitter:image:src'),
  ...jsonLd('images'),
  ...of('link[rel~="image_src" i]', 'href')('image_src'),
  ...item('image', 'image.url', 'image.contentUrl'),
  ...meta('thumbnail', 'parsely-image-url', 'sailthru.image.full'),
];

/** What a page calls itself, to tell which of the things it describes is its subject. */
const TITLE_SOURCES: readonly Source[] = [
  ...heading('title'),
  ...meta('og:title', 'twitter:title'),
  ...heading('h1'),
];

/** Where a page says what its address is. */
const ADDRESS_SOURCES: readonly Source[] = [
  ...of('link[rel~="canonical" i]', 'href')('canonical'),
  ...meta('og:url'),
];

/** Where a page announces its oEmbed answer; types may have parameters. */
export const OEMBED_SELECTOR = ['alternate', 'alternative']
  .flatMap((rel) =>
    ['application', 'text'].map((type) => `link[rel~="${rel}" i][type^="${type}/json+oembed" i]`),
  )
  .join(',');

export const ICON_SELECTOR = 'link[rel*="icon" i][href]';

/** Families of tags that pass as they are, besides the values chosen above. */
export const PASSING_FAMILIES = ['og:', 'article:', 'profile:', 'book:', 'video:', 'music:', 'product:'];

/**
 * Where `standard` looks for what no Open Graph or Twitter tag states, best first. The largest of several images counts,
 * of all else the first.
 */
export const STANDARD_SOURCES = {
  description: [{ selector: 'meta[name="description" i]:not([content=""])', attribute: 'content', key: '' }],
  image: [
    { selector: 'meta[itemprop="image" i]:not([content=""])', attribute: 'content', key: '' },
    { selector: 'img[src]', attribute: 'src', key: '' },
    { selector: 'link[rel*="icon"]', attribute: 'href', key: '' },
  ],
  oembed: [
    { selector: 'link[rel="alternate"][type="application/json+oembed"]', attribute: 'href', key: '' },
    { selector: 'link[rel="alternative"][type="application/json+oembed"]', attribute: 'href', key: '' },
  ],
} as const satisfies Record<string, readonly Source[]>;

const KINDS: Readonly<Record<string, string>> = {
  meta: 'meta',
  '[itemprop]': 'item',
  'script[type="application/ld+json"]': 'ld',
  '[rel=author], [class]': 'author',
  body: 'text',
  time: 'time',
};

/** How operators see where a value came from: `meta:og:title`, `heading:h1`, `text:description`. */
export function originOf({ selector, key }: Source): string {
  if (key === '') return `heading:${selector}`;
  if (selector.startsWith('link')) return `link:${key}`;
  return `${KINDS[selector] ?? selector}:${key}`;
}

/** An honest page has one or two. */
const MAX_OWN_ADDRESSES = 10;

/** Of the name of a site in a title. */
const SEPARATOR = / [|·•»:–—-] /;
const LONGEST_NAME = 60;
/** Shorter ones are in anything. */
const SHORTEST_NAME = 4;
const NO_LETTER = /[^\p{L}\p{N}]+/gu;

/** Looks up sources of `sources.ts` in a page; values are raw, in document order. */
export class SourceValues {
  /** Contents by lower-case key, first of equal tags first. */
  readonly metas: ReadonlyMap<string, readonly string[]>;
  readonly linked: LinkedData;
  private readonly address: URL;
  /** Once it is chosen, so that descriptions do not repeat it. */
  title: string | null = null;
  /** The same, for what agrees with it. */
  description: string | null = null;

  /** `address` is where the page was found, `base` what its addresses are relative to. */
  constructor(
    readonly page: Page,
    { address, base }: { address: URL; base: URL },
  ) {
    this.address = address;
    this.metas = metasByKey(page);
    const own = ADDRESS_SOURCES.flatMap((source) => this.of(source))
      .slice(0, MAX_OWN_ADDRESSES)
      .map((raw) => cleanAddress(raw, address, base))
      .filter((clean) => clean !== null);
    this.linked = readLinkedData(page.jsonLd, {
      titles: TITLE_SOURCES.flatMap((source) => this.of(source).slice(0, 1)).filter(
        (title) => title.trim() !== '',
      ),
      addresses: [address, ...own.map((clean) => new URL(clean))],
    });
  }

  of({ selector, key }: Source): readonly string[] {
    const { page, address } = this;
    switch (selector) {
      case 'meta':
        return this.metas.get(key) ?? [];
      case '[itemprop]':
        return page.items(key);
      case 'time':
        return listOf(page.time);
      case 'body':
        return listOf(key === 'title' ? titleByText(page) : describeByText(page, this.title));
      case '[rel=author], [class]':
        return key === 'rel' ? page.authors : page.bylines;
      case 'script[type="application/ld+json"]':
        return isKeyOf(this.linked, key) ? [this.linked[key] ?? []].flat() : [];
      default:
        if (selector.startsWith('link')) return page.addresses(selector);
        return key === 'site'
          ? listOf(siteOfTitle(page.headings('title')[0] ?? '', address))
          : page.headings(selector);
    }
  }
}

function listOf(value: string | null): readonly string[] {
  return value === null ? [] : [value];
}

function metasByKey({ metas }: Page): Map<string, string[]> {
  const byKey = new Map<string, string[]>();
  for (const meta of metas) {
    for (const name of namesOf(meta)) {
      const known = byKey.get(name);
      if (known === undefined) byKey.set(name, [meta.content]);
      else known.push(meta.content);
    }
  }
  return byKey;
}

/** The keys of a meta tag in lower case; several may stand in one attribute. */
export function namesOf({ attribute, key }: MetaTag): string[] {
  return attribute === 'itemprop' ? [] : key.toLowerCase().trim().split(/\s+/, 4);
}

/** The last part of a page's title (`Headline - The Daily`) where it agrees with the page's host; else null. */
function siteOfTitle(title: string, { hostname }: URL): string | null {
  const parts = title.slice(0, 1_000).split(SEPARATOR);
  const last = parts.length < 2 ? '' : (parts.at(-1) ?? '').trim();
  if (last === '' || last.length > LONGEST_NAME) return null;
  const labels = hostname.split('.').slice(0, -1);
  return labels.some((label) => agrees(last, label)) ? last : null;
}

/** Is a label the name, a word of it, or most of it? */
function agrees(name: string, label: string): boolean {
  const site = folded(label);
  const plain = folded(name);
  if (site.length < 2 || plain === '') return false;
  if (plain === site || name.split(' ').some((word) => site.length > 2 && folded(word) === site)) return true;
  if (site.length >= SHORTEST_NAME && plain.includes(site)) return true;
  return plain.length >= SHORTEST_NAME && 2 * plain.length >= site.length && site.includes(plain);
}

function folded(text: string): string {
  return text.normalize('NFKD').replaceAll(NO_LETTER, '').toLowerCase();
}
