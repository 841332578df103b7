import type { Candidates } from './candidates.js';
import { MAX_ADDRESS_LENGTH, isKept } from './kept-values.js';
import {
  BACKED_TAGS,
  BACKGROUND_ATTRIBUTES,
  IMAGE_TAGS,
  collectBackground,
  collectImage,
} from './images/collect-images.js';
import type { ImageContext } from './images/image-context.js';
import { noteStated } from './stated-facts.js';
import { MAX_VALUE_LENGTH, type Attributes } from './tag-reader.js';
import { guardOf, isConsentAddress } from '../interstitials/interstitial-marks.js';

const MAX_METAS = 1_000;
/** Characters of their values in all: what is chosen from them is chosen in one go. */
const MAX_META_TEXT = 1_000_000;
const MAX_LINKS = 100;
const MAX_KEY_LENGTH = 200;
const MAX_TIMES = 20;
const LINK_RELS = /icon|alternat|canonical|image_src|author|license|preload|shortlink|oembed/i;

/** The attributes of any tag that some part of the pass looks at. */
export const PAGE_ATTRIBUTES: ReadonlySet<string> = new Set([
  'action',
  'aria-hidden',
  'class',
  'content',
  'datetime',
  'height',
  'hidden',
  'href',
  'http-equiv',
  'id',
  'itemprop',
  'itemscope',
  'name',
  'property',
  'rel',
  'role',
  'sizes',
  'src',
  'srcset',
  'style',
  'alt',
  'type',
  'width',
  ...BACKGROUND_ATTRIBUTES,
]);

/** Keeps what the start of a tag with attributes says by itself; `context` is where the tag stands. */
export function collectTag(
  found: Candidates,
  { name, attributes }: { name: string; attributes: Attributes },
  context: { readonly inContent: boolean; readonly images: ImageContext },
): void {
  if (IMAGE_TAGS.has(name)) return collectImage(found, { name, attributes }, context);
  if (BACKED_TAGS.has(name)) collectBackground(found, attributes, context);
  switch (name) {
    case 'meta':
      return collectMeta(found, attributes, context.images.inNoscript);
    case 'link':
      return collectLink(found, attributes);
    case 'base':
      return collectBase(found, attributes);
    case 'time':
      return collectTime(found, attributes);
    case 'input':
      if (attributes.get('type')?.toLowerCase() === 'password') found.marks.add('password');
      return undefined;
    case 'form':
    case 'script':
    case 'iframe':
      return collectMarks(found, attributes);
    default:
      return undefined;
  }
}

/** The first base with an address counts; HTML §4.2.3. */
function collectBase(found: Candidates, attributes: Attributes): void {
  const href = attributes.get('href');
  if (href !== undefined && href.length <= MAX_ADDRESS_LENGTH) found.base ??= href;
}

function collectTime(found: Candidates, attributes: Attributes): void {
  const value = attributes.get('datetime');
  if (value !== undefined && value.length <= 64 && found.times.length < MAX_TIMES) found.times.push(value);
}

function collectMarks(found: Candidates, attributes: Attributes): void {
  const address = attributes.get('src') ?? attributes.get('action');
  if (address === undefined) return;
  const guard = guardOf(address);
  if (guard !== null) found.marks.add(guard);
  if (isConsentAddress(address)) found.marks.add('consent');
}

const META_KEYS = ['property', 'name', 'itemprop', 'http-equiv'] as const;

function collectMeta(found: Candidates, attributes: Attributes, inNoscript: boolean): void {
  const content = attributes.get('content');
  if (content === undefined || content === '' || !isKept(found, content, MAX_VALUE_LENGTH)) return;
  if (content.length <= MAX_VALUE_LENGTH) found.metaText += content.length;
  if (found.metaText > MAX_META_TEXT) return;
  for (const attribute of META_KEYS) {
    const key = attributes.get(attribute);
    if (key === undefined || key === '' || key.length > MAX_KEY_LENGTH) continue;
    if (found.metas.length >= MAX_METAS) return;
    found.metas.push({ attribute, key, content });
    const lowerKey = key.toLowerCase();
    found.metaKeys.add(lowerKey);
    noteStated(found, lowerKey, content);
    if (attribute === 'http-equiv' && lowerKey.trim() === 'refresh')
      found.refreshes.push({ content, inNoscript });
  }
}

/** Links that say something about the page; the many others (style sheets) are left alone. */
function collectLink(found: Candidates, attributes: Attributes): void {
  const href = attributes.get('href');
  const rel = attributes.get('rel');
  if (href === undefined || rel === undefined) return;
  if (found.links.length >= MAX_LINKS || !LINK_RELS.test(rel.slice(0, 200))) return;
  if (!isKept(found, href, MAX_ADDRESS_LENGTH)) return;
  found.links.push({
    rel: rel.slice(0, MAX_KEY_LENGTH),
    href,
    type: (attributes.get('type') ?? '').slice(0, MAX_KEY_LENGTH),
    sizes: (attributes.get('sizes') ?? '').slice(0, MAX_KEY_LENGTH),
  });
}
