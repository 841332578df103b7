import type { Element } from 'domhandler';

import { textNodes } from './body.js';
import { isUnsafe, summarizeText, typedValue, type Choice, type OpenGraph } from './values.js';
import { closedTitle, type MetaTag, type Page } from './page.js';

/** More distinct tags of one family than this, and none of them counts. */
const MAX_TAGS = 50;
const PAGE_FAMILIES = ['og:', 'article:', 'profile:'];
const NOT_TAKEN = new Set(['twitter:card', 'twitter:creator']);
const PLAIN_NUMBER = /^\s*-?(?:\d+(?:\.\d*)?|\.\d+)\s*$/;

/**
 * Chooses as Synapse does (its `preview_html.py`): Open Graph tags with `property`, the last of equal
 * ones; Twitter tags with `name` where those are missing; then headings, images and text of the page.
 */
export function chooseStandard(page: Page): Choice {
  const families = PAGE_FAMILIES.map((family) => tagsOf(page, 'property', family));
  const tags = new Map<string, Tag>(families.flatMap((family) => [...family]));
  for (const [key, tag] of tagsOf(page, 'name', 'twitter:')) if (!tags.has(key)) tags.set(key, tag);
  const openGraph: OpenGraph = new Map();
  const origins = new Map<string, string>();
  for (const [key, { value, origin }] of tags) {
    origins.set(key, origin);
    const typed = key === 'og:image' ? null : typedValue(key, value);
    if (typed !== null && !isUnsafe(key, value)) openGraph.set(key, typed);
  }
  const set = (key: string, value: string | null, origin: string): void => {
    openGraph.set(key, value);
    if (value !== null) origins.set(key, origin);
  };
  if (!openGraph.has('og:title')) set('og:title', headingText(page)?.trim() ?? null, 'heading');
  const stated = openGraph.get('og:description');
  const named = valueOf(page, 'meta[name="description" i]:not([content=""])', 'content');
  if (stated !== undefined) openGraph.set('og:description', summarizeText([String(stated)]));
  else if (named !== null) set('og:description', named, 'meta description');
  else set('og:description', summarizeText(textNodes(page.root)), 'text');
  const image = tags.get('og:image')?.value ?? imageOfPage(page);
  const [oembed = ''] = ['alternate', 'alternative'].flatMap(
    (rel) => valueOf(page, `link[rel="${rel}"][type="application/json+oembed"]`, 'href') ?? [],
  );
  return {
    openGraph,
    origins,
    images: image === '' ? [] : [image],
    oembedUrls: oembed === '' ? [] : [oembed],
  };
}

interface Tag {
  readonly value: string;
  readonly origin: string;
}

/** The tags of a family by Open Graph keys, the last of equal ones; none where there are too many. */
function tagsOf(page: Page, attribute: MetaTag['attribute'], family: string): Map<string, Tag> {
  const tags = new Map<string, Tag>();
  for (const { attribute: own, key: name, content: value } of page.metas) {
    if (own !== attribute || !name.startsWith(family)) continue;
    if (tags.size >= MAX_TAGS) return new Map();
    const key = openGraphKey(name);
    if (key !== null) tags.set(key, { value, origin: `meta ${name}` });
  }
  return tags;
}

function openGraphKey(name: string): string | null {
  if (!name.startsWith('twitter:')) return name;
  if (NOT_TAKEN.has(name)) return null;
  return name === 'twitter:site' ? 'og:site_name' : `og${name.slice('twitter'.length)}`;
}

/** The first text directly in the first `title`, `h1`, `h2` or `h3`. */
function headingText({ $ }: Page): string | null {
  const seen = new Set<string>();
  for (const { name, children } of $('title, h1, h2, h3')) {
    if (seen.has(name)) continue;
    seen.add(name);
    for (const node of children)
      if ('data' in node && node.data !== '') return name === 'title' ? closedTitle(node.data) : node.data;
  }
  return null;
}

function imageOfPage(page: Page): string {
  const images = page.$('img[src]').toArray();
  const [largest] = images
    .map((image) => ({ attribs: image.attribs, area: areaOf(image) }))
    .filter(({ area }) => area > 0)
    .sort((a, b) => b.area - a.area);
  return (
    valueOf(page, 'meta[itemprop="image" i]:not([content=""])', 'content') ??
    (largest ?? images[0])?.attribs['src'] ??
    valueOf(page, 'link[rel*="icon"]', 'href') ??
    ''
  );
}

/** 0 for what is not stated, or small. */
function areaOf({ attribs }: Element): number {
  const [width = 0, height = 0] = ['width', 'height'].map((side) => {
    const text = attribs[side] ?? '';
    return PLAIN_NUMBER.test(text) ? Number(text) : 0;
  });
  return width > 10 && height > 10 ? width * height : 0;
}

/** That of the first element that a selector finds. */
function valueOf({ $ }: Page, selector: string, attribute: string): string | null {
  return $(`${selector}[${attribute}]`).first().attr(attribute) ?? null;
}
