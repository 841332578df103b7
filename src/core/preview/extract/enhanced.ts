import { isKeyOf } from '../../base/json/is-record.js';
import { asName, asOverlong, asText, passingValue, type Choice, type OpenGraph } from './open-graph.js';
import { imageCandidates } from './images.js';
import { readLinkedData, type LinkedData } from './linked-data.js';
import type { Page } from './page.js';
import { describeByText, titleByText } from './page-text.js';

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
export function chooseEnhanced(page: Page, address: URL, base: URL): Choice {
  const openGraph: OpenGraph = new Map();
  const origins = new Map<string, string>();
  const blocks = page.jsonLd;
  const titles = ['heading:title', 'meta:og:title', 'meta:twitter:title', 'heading:h1'].flatMap((source) =>
    valuesOf(source, { page, linked: null, title: null }).slice(0, 1),
  );
  const names = titles.filter((each) => each.trim() !== '');
  const linked = blocks.length === 0 ? null : readLinkedData(blocks, names);
  let title: string | null = null;
  for (const [key, sources] of Object.entries(SOURCES)) {
    const values = (source: string): readonly string[] =>
      valuesOf(source, { page, linked, title }).slice(0, MAX_READ);
    const pick = firstFitting(sources, values);
    if (key === 'og:title') title = pick?.value ?? null;
    if (pick !== null) origins.set(key, pick.source);
    if (pick !== null || key !== 'og:site_name')
      openGraph.set(key, pick?.value ?? firstOverlong(sources, values));
  }
  passOthers(page, openGraph, origins);
  const stated = IMAGE_SOURCES.map((source) => ({
    origin: source,
    written: valuesOf(source, { page, linked, title }),
  }));
  const images = imageCandidates(page, stated, { address, base });
  const first = images[0];
  if (first !== undefined) origins.set('og:image', first.origin);
  const oembedUrls = page.addresses(OEMBED_SELECTOR).slice(0, MAX_OEMBED);
  return {
    openGraph,
    origins,
    images: images.map((image) => image.address),
    oembedUrls: oembedUrls.map((each) => each.trim()),
  };
}

interface Known {
  readonly page: Page;
  readonly linked: LinkedData | null;
  /** Once it is chosen, so that descriptions do not repeat it. */
  readonly title: string | null;
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
  return (
    sources
      .flatMap(values)
      .map(asOverlong)
      .find((text) => text !== null) ?? null
  );
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
