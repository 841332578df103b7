import type { Candidates, MetaTag, ImageTag } from './pass/candidates.js';
import type { Choice } from './choice.js';
import { typedValue } from './open-graph.js';
import { summarizeText } from './text/summary.js';

/** More distinct tags of one family than this, and none of them counts. */
const MAX_TAGS = 50;
const PAGE_FAMILIES = ['og:', 'article:', 'profile:'];
const NOT_TAKEN = new Set(['twitter:card', 'twitter:creator']);
const OEMBED_TYPE = 'application/json+oembed';
const PLAIN_NUMBER = /^\s*-?(?:\d+(?:\.\d*)?|\.\d+)\s*$/;

/**
 * Chooses as Synapse does (its `preview_html.py`): Open Graph tags with `property`, the last of equal
 * ones; Twitter tags with `name` where those are missing; then headings, images and text of the page.
 */
export function chooseStandard(found: Candidates): Choice {
  const tags = new Map<string, string>();
  const origins = new Map<string, string>();
  for (const family of PAGE_FAMILIES)
    addFamily({ tags, origins }, tagsOf(found, 'property', family), (key) => key);
  const cards = new Map<string, string>();
  addFamily({ tags: cards, origins: new Map() }, tagsOf(found, 'name', 'twitter:'), openGraphKey);
  for (const [key, value] of cards) {
    if (!tags.has(key)) addTag(tags, origins, { key, value, origin: `meta twitter:${key.slice(3)}` });
  }
  const image = tags.get('og:image') ?? imageOfPage(found);
  tags.delete('og:image');
  const openGraph: Choice['openGraph'] = new Map();
  for (const [key, value] of tags) {
    const typed = typedValue(key, value);
    if (typed !== null) openGraph.set(key, typed);
  }
  setTitle(openGraph, origins, found);
  setDescription(openGraph, origins, found);
  const images = image === '' ? [] : [image];
  return { openGraph, origins, images, imageFacts: new Map(), oembedUrls: oembedAddress(found) };
}

function tagsOf(found: Candidates, attribute: MetaTag['attribute'], family: string): MetaTag[] {
  return found.metas.filter((meta) => meta.attribute === attribute && meta.key.startsWith(family));
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

function setTitle(og: Choice['openGraph'], origins: Map<string, string>, found: Candidates): void {
  if (og.has('og:title')) return;
  og.set('og:title', found.firstHeadingText?.trim() ?? null);
  if (found.firstHeadingText !== null) origins.set('og:title', 'heading');
}

function setDescription(og: Choice['openGraph'], origins: Map<string, string>, found: Candidates): void {
  const tag = og.get('og:description');
  if (tag !== undefined) {
    og.set('og:description', summarizeText([String(tag)]));
    return;
  }
  const meta = found.metas.find(
    ({ attribute, key }) => attribute === 'name' && key.toLowerCase() === 'description',
  );
  const text = meta?.content ?? summarizeText(found.textNodes);
  og.set('og:description', text);
  if (text !== null) origins.set('og:description', meta === undefined ? 'text' : 'meta description');
}

function imageOfPage(found: Candidates): string {
  const item = found.metas.find(
    ({ attribute, key }) => attribute === 'itemprop' && key.toLowerCase() === 'image',
  );
  if (item !== undefined) return item.content;
  const images = found.images.filter(({ src }) => src !== null);
  const largest = largestOf(images) ?? images[0];
  if (largest !== undefined) return largest.src ?? '';
  return found.links.find(({ rel }) => rel.includes('icon'))?.href ?? '';
}

function largestOf(images: readonly ImageTag[]): ImageTag | undefined {
  let largest: ImageTag | undefined;
  let most = 0;
  for (const image of images) {
    const width = plainNumber(image.width);
    const height = plainNumber(image.height);
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

function oembedAddress(found: Candidates): string[] {
  for (const wanted of ['alternate', 'alternative']) {
    const link = found.links.find(({ rel, type }) => rel === wanted && type === OEMBED_TYPE);
    if (link !== undefined) return link.href === '' ? [] : [link.href];
  }
  return [];
}
