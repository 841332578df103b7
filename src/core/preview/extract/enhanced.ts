import { isKeyOf } from '../../base/json/is-record.js';
import {
  type Choice,
  type OpenGraph,
  asAuthor,
  asByline,
  asDate,
  asFoundAuthor,
  asHeading,
  asName,
  asOverlong,
  asText,
  passingValue,
  type Fitting,
} from './open-graph.js';
import type { Page } from './dom/page.js';
import { imageCandidates } from './images/page-images.js';
import { alternatives } from '../charset/visible-text.js';
import {
  SourceValues,
  OEMBED_SELECTOR,
  PASSING_FAMILIES,
  SOURCES,
  originOf,
  type FoundKey,
} from './sources.js';

const MAX_OEMBED = 3;
const MAX_PASSING = 150;
const IMAGE_ADDRESS = /^og:image(?::(?:secure_)?url)?$/;

/**
 * Chooses the best value for each key by the lists of `sources.ts`: first fitting value of the first source that
 * has one. `address` is where the page was found, `base` what its addresses are relative to.
 */
export function chooseEnhanced(page: Page, address: URL, base: URL): Choice {
  const values = new SourceValues(page, { address, base });
  const openGraph: OpenGraph = new Map();
  const origins = new Map<string, string>();
  for (const key of ['og:title', 'og:description'] as const) {
    const pick = firstFitting(values, key);
    openGraph.set(key, pick?.value ?? firstOverlong(values, key));
    values[key === 'og:title' ? 'title' : 'description'] = pick?.value ?? null;
    if (pick !== null) origins.set(key, pick.source);
  }
  for (const key of Object.keys(SOURCES)) {
    if (!isKeyOf(SOURCES, key)) continue;
    const pick = openGraph.has(key) ? null : firstFitting(values, key);
    if (pick === null || (isOfArticle(key, pick.source) && !mayHaveAuthor(values, address))) continue;
    openGraph.set(key, pick.value);
    origins.set(key, pick.source);
  }
  passOthers(values, openGraph, origins);
  const images = imageCandidates(values, { page: address, base });
  const first = images[0];
  if (first !== undefined) origins.set('og:image', first.origin);
  return {
    openGraph,
    origins,
    images: images.map((image) => image.address),
    oembedUrls: page
      .addresses(OEMBED_SELECTOR)
      .slice(0, MAX_OEMBED)
      .map((address) => address.trim()),
  };
}

const FITTING: Record<FoundKey, Fitting> = {
  'og:title': asText,
  'og:description': asText,
  'og:site_name': asName,
  'article:author': asAuthor,
  'article:published_time': asDate,
};

/** Sources whose values need other care than those of their key elsewhere. */
const FITTING_OF_SOURCE: ReadonlyMap<string, Fitting> = new Map([
  ['author:class', asByline],
  ['author:rel', asFoundAuthor],
  ['item:author', asFoundAuthor],
  ['item:author.name', asFoundAuthor],
  ['heading:title', asHeading],
  ['heading:h1', asHeading],
]);

function firstFitting(values: SourceValues, key: FoundKey): { value: string; source: string } | null {
  for (const source of SOURCES[key]) {
    const origin = originOf(source);
    const fit = FITTING_OF_SOURCE.get(origin) ?? FITTING[key];
    for (const raw of values.of(source).slice(0, 5)) {
      const value = fit(raw);
      if (value !== null) return { value, source: origin };
    }
  }
  return null;
}

/** What is left when all that a page states is too long; pruning removes it (SPEC §4.7.12). */
function firstOverlong(values: SourceValues, key: FoundKey): string | null {
  const raws = SOURCES[key].flatMap((source) => values.of(source).slice(0, 5));
  return raws.map(asOverlong).find((text) => text !== null) ?? null;
}

/** JSON-LD says itself whose author it names; any other name may be that of the site or of another text. */
function isOfArticle(key: FoundKey, source: string): boolean {
  return key === 'article:author' && source !== 'ld:author';
}

/** What `og:type` calls pages that somebody wrote. */
const ARTICLE_TYPE = /^(?:article|news(?:[_.]?article)?|blog(?:[_.]?post)?|story|book|video\.\w{1,20})$/i;
/** Keys of tags that only such pages have. */
const ARTICLE_TAG = new RegExp(
  `^(?:${alternatives(String.raw`
    article:(?:published_time|author|section|tag)|og:published_time|citation_
    parsely-(?:author|pub-date)|sailthru\.(?:author|date)|byl$
    dc(?:terms?)?[.:](?:creator|date|issued|created)|pub(?:lish)?-?date$|ptime$`)})`,
  'i',
);
const ARTICLE_ITEMS = ['headline', 'articleBody'];

/**
 * Can a name on a page be that of its author? On an article it can; on a page that calls itself something else, is
 * about a thing, shows the beginnings of several articles or is the front of a site it is that of somebody else.
 */
function mayHaveAuthor({ page, linked, metas }: SourceValues, { pathname, search }: URL): boolean {
  const types = (metas.get('og:type') ?? []).map((type) => type.trim()).filter((type) => type !== '');
  if (types.some((type) => ARTICLE_TYPE.test(type)) || linked.kind === 'article') return true;
  if ([...metas.keys()].some((key) => ARTICLE_TAG.test(key))) return true;
  if (ARTICLE_ITEMS.some((path) => page.items(path).length > 0)) return true;
  if (pathname === '/' && search === '') return false;
  if (page.articles > 0) return page.articles === 1 || page.isHeadingInArticle;
  return types.length === 0 && linked.kind !== 'other';
}

/** All other Open Graph tags of the page; of equal ones the first fitting one. */
function passOthers({ metas }: SourceValues, openGraph: OpenGraph, origins: Map<string, string>): void {
  const others = [...metas].filter(
    ([name]) =>
      PASSING_FAMILIES.some((family) => name.startsWith(family)) &&
      !(IMAGE_ADDRESS.test(name) || openGraph.has(name) || Object.hasOwn(SOURCES, name)),
  );
  for (const [name, contents] of others.slice(0, MAX_PASSING)) {
    const values = contents.slice(0, 3).map((raw) => passingValue(name, raw));
    const value = values.find((each) => each !== null);
    if (value === undefined) continue;
    openGraph.set(name, value);
    origins.set(name, `meta:${name}`);
  }
}
