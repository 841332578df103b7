import type { Element } from 'domhandler';

import type { Client } from '../../base/fair-queue.js';
import { isKeyOf } from '../../base/json/is-record.js';
import { parseUrl, resolveAddress } from '../../base/text/url.js';
import { decodeChunks, findCharset } from '../charset/find-charset.js';
import { imageAddress, imageCandidates, isTinyStated } from './images.js';
import { interstitialOf, isLoginPath, type Interstitial } from './interstitial.js';
import { readLinkedData, type LinkedData } from './linked-data.js';
import { DESCRIPTIONS, headerElements, refreshTarget, type Page } from './page.js';
import { describeByText, titleByText } from './page-text.js';
import { parsePage } from './parser.js';
import { chooseStandard } from './standard.js';
import { asName, asOverlong, asText, passingValue, type Choice, type OpenGraph } from './values.js';

export interface PageInput {
  readonly body: Buffer;
  readonly contentType: string | null;
  readonly url: string;
  /** Address first asked for; without it a login page is never taken for an interstitial. */
  readonly requestedUrl?: string;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface PageExtract extends Choice {
  /** Where the page leads by itself; null where it stays, and for `standard`. */
  readonly refresh: string | null;
  /** Set when this is no page but an obstacle before it; `enhanced` only. */
  readonly interstitial: Interstitial | null;
  readonly charset: string;
  readonly decodeMs: number;
}

export interface ExtractOptions {
  readonly mode: 'standard' | 'enhanced';
  /** Whose turn it is where pages wait to be read. */
  readonly client?: Client;
  readonly signal?: AbortSignal;
  /** Whether the body may be moved away, where another thread reads it. */
  readonly mayTake?: boolean;
}

/** How a page is read: in this thread, or by asking another one. */
export type ExtractPage = (input: PageInput, options: ExtractOptions) => Promise<PageExtract | null>;

/**
 * Reads one HTML page in one bounded pass; SPEC §4.7.7. Null when it is empty, no text or cannot be decoded (the preview
 * is `{}` then). Rejects only when the page's own `url` is not a URL.
 */
export async function extractPage(input: PageInput, options: ExtractOptions): Promise<PageExtract | null> {
  const startMs = performance.now();
  const { body, contentType } = input;
  const charset = findCharset(body, { contentType, mode: options.mode });
  if (charset === null) return null;
  const decodeMs = Math.round(performance.now() - startMs);
  const address = new URL(input.url);
  const page = parsePage(decodeChunks(body, charset), {
    headers: headerElements(input.headers ?? {}, address),
    isXml: /^application\/xhtml/i.test(contentType ?? ''),
    ...(options.mode === 'enhanced' && { isEnough: enoughOf(body, address) }),
  });
  if (page.isEmpty) return null;
  const about = { charset, decodeMs, interstitial: null, refresh: null };
  if (options.mode === 'standard') return { ...about, ...resolved(chooseStandard(page), address) };
  const base = page.base(address);
  const { requestedUrl, headers = {} } = input;
  const requested = requestedUrl === undefined ? null : parseUrl(requestedUrl);
  return {
    ...about,
    interstitial: interstitialOf(page, { address, requested, headers }),
    refresh: refreshTarget(page, { address, base }),
    ...resolved(chooseEnhanced(page, address, base), base),
  };
}

function resolved(choice: Choice, base: URL): Choice {
  const absolute = (addresses: readonly string[]): string[] => [
    ...new Set(addresses.map((each) => resolveAddress(each, base)).filter((each) => each !== null)),
  ];
  return { ...choice, images: absolute(choice.images), oembedUrls: absolute(choice.oembedUrls) };
}

const LOOKED_AT = 500;

/**
 * Do the tags of a head say all of a card? Nothing in the rest of the page can better it then, but for an oEmbed
 * address, the site's name in JSON-LD, and the form of a login page.
 */
function enoughOf(body: Buffer, address: URL): (tags: readonly Element[]) => boolean {
  if (isLoginPath(address)) return () => false;
  const [hasLinkedData, hasOembed] = [body.includes('ld+json'), body.includes('json+oembed')];
  const isImage = (content: string): boolean => imageAddress(content, address) !== null;
  return (tags) => {
    const first = tags.slice(0, LOOKED_AT);
    const says = (keys: readonly string[], isFit: (content: string) => boolean = () => true): boolean =>
      first.some(({ attribs: { property = '', name = '', content = '' } }) => {
        const isNamed = keys.includes(property.toLowerCase()) || keys.includes(name.toLowerCase());
        return isNamed && asText(content) !== null && isFit(content);
      });
    return (
      says(['og:title', 'twitter:title']) &&
      says(DESCRIPTIONS) &&
      says(['og:image', 'twitter:image'], isImage) &&
      !says(['og:image:width'], isTinyStated) &&
      (!hasLinkedData || says(['og:site_name'])) &&
      (!hasOembed || first.some(({ attribs }) => attribs['type']?.includes('json+oembed')))
    );
  };
}

const MAX_OEMBED = 3;
const MAX_PASSING = 150;
/** Of one source. */
const MAX_READ = 5;
const IMAGE_ADDRESS = /^og:image(?::(?:secure_)?url)?$/;
/** Families of tags that pass as they are, besides the values chosen here. */
const PASSING = /^(?:og|article|profile|book|video|music|product):/;

const metas = (keys: string): string[] => keys.split(' ').map((key) => `meta:${key}`);

/**
 * Where each value is looked for, best first: the first fitting value of the first source that has one. A source is
 * named as operators see it: its kind, then the key of a meta tag, the member of JSON-LD or the element of a heading.
 */
const SOURCES = {
  'og:title': [
    ...metas('og:title twitter:title'),
    'ld:title',
    ...metas('title parsely-title citation_title dc.title dcterms.title dc:title'),
    'heading:title',
    'heading:h1',
    'heading:h2',
    'heading:h3',
    'text:title',
  ],
  'og:description': [
    ...metas('og:description twitter:description description'),
    'ld:description',
    ...metas('dc.description dcterms.description dc:description dcterms.abstract citation_abstract'),
    ...metas('abstract'),
    'text:description',
  ],
  'og:site_name': [
    'meta:og:site_name',
    'ld:siteName',
    ...metas('application-name apple-mobile-web-app-title al:android:app_name twitter:site'),
  ],
} as const satisfies Record<string, readonly string[]>;

/** Images a page names itself; those of its body and its icons follow. */
const IMAGE_SOURCES = [
  ...metas('og:image og:image:secure_url og:image:url twitter:image twitter:image:src'),
  'ld:images',
  'link:image_src',
  ...metas('image thumbnail'),
];

/** Where a page announces its oEmbed answer; types may have parameters. */
const OEMBED_SELECTOR = ['alternate', 'alternative']
  .flatMap((rel) =>
    ['application', 'text'].map((type) => `link[rel~="${rel}" i][type^="${type}/json+oembed" i]`),
  )
  .join(',');

/** `address` is where the page was found, `base` what its addresses are relative to. */
function chooseEnhanced(page: Page, address: URL, base: URL): Choice {
  const openGraph: OpenGraph = new Map();
  const origins = new Map<string, string>();
  const known: Known = { page, linked: null, title: null };
  const titles = ['heading:title', 'meta:og:title', 'meta:twitter:title', 'heading:h1'].flatMap((source) =>
    valuesOf(source, known).slice(0, 1),
  );
  const names = titles.filter((each) => each.trim() !== '');
  const blocks = page.jsonLd;
  if (blocks.length > 0) known.linked = readLinkedData(blocks, names);
  const values: Values = (source) => valuesOf(source, known).slice(0, MAX_READ);
  for (const [key, sources] of Object.entries(SOURCES)) {
    const pick = firstFitting(sources, values);
    if (key === 'og:title') known.title = pick?.value ?? null;
    if (pick !== null) origins.set(key, pick.source);
    if (pick !== null || key !== 'og:site_name')
      openGraph.set(key, pick?.value ?? firstOverlong(sources, values));
  }
  passOthers(page, openGraph, origins);
  const stated = IMAGE_SOURCES.map((origin) => ({ origin, written: valuesOf(origin, known) }));
  const images = imageCandidates(page, stated, { address, base });
  if (images[0] !== undefined) origins.set('og:image', images[0].origin);
  const announced = page.addresses(OEMBED_SELECTOR).slice(0, MAX_OEMBED);
  const oembedUrls = announced.map((each) => each.trim());
  return { openGraph, origins, images: images.map((image) => image.address), oembedUrls };
}

interface Known {
  readonly page: Page;
  linked: LinkedData | null;
  /** Once it is chosen, so that descriptions do not repeat it. */
  title: string | null;
}

/** What a source says, raw, in document order. */
function valuesOf(source: string, { page, linked, title }: Known): readonly string[] {
  const [kind = ''] = source.split(':', 1);
  const key = source.slice(kind.length + 1);
  switch (kind) {
    case 'meta':
      return page.contents.get(key) ?? [];
    case 'heading':
      return page.headings(key);
    case 'link':
      return page.addresses(`link[rel~="${key}" i]`);
    case 'ld':
      return linked !== null && isKeyOf(linked, key) ? [linked[key] ?? []].flat() : [];
    default:
      return [key === 'title' ? titleByText(page) : describeByText(page, title)].filter(
        (text) => text !== null,
      );
  }
}

type Values = (source: string) => readonly string[];

function firstFitting(sources: readonly string[], values: Values): { value: string; source: string } | null {
  for (const source of sources) {
    const fit = (SOURCES['og:site_name'] as readonly string[]).includes(source) ? asName : asText;
    for (const raw of values(source)) {
      const value = fit(raw);
      if (value !== null) return { value, source };
    }
  }
  return null;
}

/** What is left when all that a page states is too long; pruning removes it (SPEC §4.7.12). */
function firstOverlong(sources: readonly string[], values: Values): string | null {
  const overlong = sources.flatMap(values).map(asOverlong);
  return overlong.find((text) => text !== null) ?? null;
}

/** All other Open Graph tags of the page; of equal ones the first fitting one. */
function passOthers({ contents }: Page, openGraph: OpenGraph, origins: Map<string, string>): void {
  const others = [...contents].filter(
    ([name]) => PASSING.test(name) && !(IMAGE_ADDRESS.test(name) || Object.hasOwn(SOURCES, name)),
  );
  for (const [name, written] of others.slice(0, MAX_PASSING)) {
    const values = written.slice(0, 3).map((raw) => passingValue(name, raw));
    const value = values.find((each) => each !== null);
    if (value === undefined) continue;
    openGraph.set(name, value);
    origins.set(name, `meta:${name}`);
  }
}
