import type { Candidates, PictureTag } from './candidates.js';
import type { Attributes } from './tag-reader.js';
import { guardOf, isConsentAddress } from './wall-marks.js';

const MAX_METAS = 1_000;
const MAX_LINKS = 100;
const MAX_PICTURES = 500;
const MAX_VALUE_LENGTH = 65_536;
const MAX_ADDRESS_LENGTH = 8_192;
const MAX_DATA_TEXT = 4_194_304;
const MAX_KEY_LENGTH = 200;
const MAX_TIMES = 20;
/** Where pages keep the address of a picture that a script loads when it scrolls into view. */
const LAZY_SOURCES = [
  'data-src',
  'data-original',
  'data-lazy-src',
  'data-lazy',
  'data-url',
  'data-hi-res-src',
];
const LAZY_SETS = ['data-srcset', 'data-lazy-srcset'];
const LINK_RELS = /icon|alternat|canonical|image_src|author|license|preload|shortlink|oembed/i;

/** All attributes any part of the pass looks at. */
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
  'lang',
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
  'xml:lang',
  ...LAZY_SOURCES,
  ...LAZY_SETS,
]);

/** Keeps what the start of a tag says by itself; `place` is where the tag stands. */
export function collectTag(
  found: Candidates,
  name: string,
  attributes: Attributes,
  place: { inContent: boolean; inMargin: boolean },
): void {
  switch (name) {
    case 'meta':
      return collectMeta(found, attributes);
    case 'link':
      return collectLink(found, attributes);
    case 'img':
      return collectPicture(found, attributes, place);
    case 'html':
      found.language ??= attributes.get('lang') ?? attributes.get('xml:lang') ?? null;
      return undefined;
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

function collectMeta(found: Candidates, attributes: Attributes): void {
  const content = attributes.get('content');
  if (content === undefined || content === '' || !isKept(found, content, MAX_VALUE_LENGTH)) return;
  for (const attribute of META_KEYS) {
    const key = attributes.get(attribute);
    if (key === undefined || key === '' || key.length > MAX_KEY_LENGTH) continue;
    if (found.metas.length >= MAX_METAS) return;
    found.metas.push({ attribute, key, content });
    found.metaKeys.add(key.toLowerCase());
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

function collectPicture(
  found: Candidates,
  attributes: Attributes,
  place: { inContent: boolean; inMargin: boolean },
): void {
  if (found.pictures.length >= MAX_PICTURES) return;
  const src = attributes.get('src') ?? null;
  if (src !== null && !isKept(found, src, MAX_ADDRESS_LENGTH)) return;
  found.pictures.push({
    src,
    lazySrc: firstOf(attributes, LAZY_SOURCES, MAX_ADDRESS_LENGTH),
    srcset: firstOf(attributes, [...LAZY_SETS, 'srcset'], MAX_VALUE_LENGTH),
    width: (attributes.get('width') ?? '').slice(0, 20),
    height: (attributes.get('height') ?? '').slice(0, 20),
    hints: [attributes.get('class'), attributes.get('id'), attributes.get('alt')].join(' ').slice(0, 300),
    place: placeOf(place),
  });
}

function placeOf(place: { inContent: boolean; inMargin: boolean }): PictureTag['place'] {
  if (place.inMargin) return 'margin';
  return place.inContent ? 'content' : 'body';
}

function firstOf(attributes: Attributes, names: readonly string[], limit: number): string | null {
  for (const name of names) {
    const value = attributes.get(name);
    if (value !== undefined && value.trim() !== '' && value.length <= limit) return value;
  }
  return null;
}

/** Long values are kept only as data URLs, and of these only a few megabytes in all. */
function isKept(found: Candidates, value: string, limit: number): boolean {
  if (value.length <= limit) return true;
  if (!value.startsWith('data:')) return false;
  found.dataText += value.length;
  return found.dataText <= MAX_DATA_TEXT;
}
