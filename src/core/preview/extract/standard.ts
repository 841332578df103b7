import type { Element } from 'domhandler';

import type { MetaTag, Page } from './dom/page.js';
import type { Choice } from './choice.js';
import { typedValue } from './open-graph.js';
import { isUnsafe } from './page-values.js';
import { STANDARD_SOURCES, type Source } from './sources.js';
import { summarizeText, textNodes } from './text/summary.js';

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
  const tags = new Map<string, string>();
  const origins = new Map<string, string>();
  for (const family of PAGE_FAMILIES)
    addFamily({ tags, origins }, tagsOf(page, 'property', family), (key) => key);
  const cards = new Map<string, string>();
  addFamily({ tags: cards, origins: new Map() }, tagsOf(page, 'name', 'twitter:'), openGraphKey);
  for (const [key, value] of cards) {
    if (!tags.has(key)) addTag(tags, origins, { key, value, origin: `meta twitter:${key.slice(3)}` });
  }
  const image = tags.get('og:image') ?? imageOfPage(page);
  tags.delete('og:image');
  const openGraph: Choice['openGraph'] = new Map();
  for (const [key, value] of tags) {
    const typed = typedValue(key, value);
    if (typed !== null && !isUnsafe(key, value)) openGraph.set(key, typed);
  }
  setTitle(openGraph, origins, page);
  setDescription(openGraph, origins, page);
  const images = image === '' ? [] : [image];
  return {
    openGraph,
    origins,
    images,
    imageFacts: new Map(),
    oembedUrls: oembedAddress(page),
    textBesideOembed: null,
  };
}

function tagsOf(page: Page, attribute: MetaTag['attribute'], family: string): MetaTag[] {
  return page.metas.filter((meta) => meta.attribute === attribute && meta.key.startsWith(family));
}

function addFamily(
  { tags, origins }: { tags: Map<string, string>; origins: Map<string, string> },
  metas: readonly MetaTag[],
  keyOf: (name: string) => string | null,
): void {
  const family = new Map<string, string>();
  for (const { key: name, content } of metas) {
    if (family.size >= MAX_TAGS) return;
    const key = keyOf(name);
    if (key !== null) family.set(key, content);
  }
  for (const [key, value] of family) addTag(tags, origins, { key, value, origin: `meta ${key}` });
}

function addTag(
  tags: Map<string, string>,
  origins: Map<string, string>,
  tag: { key: string; value: string; origin: string },
): void {
  tags.set(tag.key, tag.value);
  origins.set(tag.key, tag.origin);
}

function openGraphKey(name: string): string | null {
  if (NOT_TAKEN.has(name)) return null;
  return name === 'twitter:site' ? 'og:site_name' : `og${name.slice('twitter'.length)}`;
}

function setTitle(og: Choice['openGraph'], origins: Map<string, string>, page: Page): void {
  if (og.has('og:title')) return;
  const text = headingText(page);
  og.set('og:title', text?.trim() ?? null);
  if (text !== null) origins.set('og:title', 'heading');
}

function setDescription(og: Choice['openGraph'], origins: Map<string, string>, page: Page): void {
  const tag = og.get('og:description');
  if (tag !== undefined) {
    og.set('og:description', summarizeText([String(tag)]));
    return;
  }
  const stated = valueOf(page, STANDARD_SOURCES.description);
  const text = stated ?? summarizeText(textNodes(page.root));
  og.set('og:description', text);
  if (text !== null) origins.set('og:description', stated === null ? 'text' : 'meta description');
}

/** The first text directly in the first `title`, `h1`, `h2` or `h3`. */
function headingText({ $ }: Page): string | null {
  const seen = new Set<string>();
  for (const { name, children } of $('title, h1, h2, h3')) {
    if (seen.has(name)) continue;
    seen.add(name);
    for (const node of children) if ('data' in node && node.data !== '') return node.data;
  }
  return null;
}

function imageOfPage(page: Page): string {
  const [item, img, icon] = STANDARD_SOURCES.image;
  const images = page.$(img.selector).toArray();
  const largest = largestOf(images) ?? images[0];
  return valueOf(page, [item]) ?? largest?.attribs[img.attribute] ?? valueOf(page, [icon]) ?? '';
}

function largestOf(images: readonly Element[]): Element | undefined {
  let largest: Element | undefined;
  let most = 0;
  for (const image of images) {
    const width = plainNumber(image.attribs['width'] ?? '');
    const height = plainNumber(image.attribs['height'] ?? '');
    if (width > 10 && height > 10 && width * height > most) {
      largest = image;
      most = width * height;
    }
  }
  return largest;
}

function plainNumber(text: string): number {
  return PLAIN_NUMBER.test(text) ? Number(text) : 0;
}

function oembedAddress(page: Page): string[] {
  const address = valueOf(page, STANDARD_SOURCES.oembed) ?? '';
  return address === '' ? [] : [address];
}

/** The value of the first element that a source finds. */
function valueOf({ $ }: Page, sources: readonly Source[]): string | null {
  for (const { selector, attribute } of sources) {
    const value = $(`${selector}[${attribute}]`).first().attr(attribute);
    if (value !== undefined) return value;
  }
  return null;
}
