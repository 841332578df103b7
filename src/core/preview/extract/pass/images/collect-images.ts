import type { Candidates, ImageTag } from '../candidates.js';
import { MAX_ADDRESS_LENGTH, isKept } from '../kept-values.js';
import { backgroundAddress, lazyAddress, otherAddresses, srcsetOf } from './image-attributes.js';
import type { ImageContext, SourceSets } from './image-context.js';
import type { Attributes } from '../tag-reader.js';

const MAX_IMAGES = 500;
const MAX_SETS = 6;
/** Of a source, whose picture element may hold any number of images. */
const MAX_SET_LENGTH = 4_096;
/** Elements that are images or offer some; all their attributes are looked at. */
export const IMAGE_TAGS: ReadonlySet<string> = new Set(['img', 'amp-img', 'amp-anim', 'source', 'video']);
/** Where scripts find the background that they load later. */
export const BACKGROUND_ATTRIBUTES = ['data-bg', 'data-background', 'data-background-image'];
/** Elements that have them. */
export const BACKED_TAGS: ReadonlySet<string> = new Set(
  'div section header figure a span li article td'.split(' '),
);

/** Where a tag stands. */
interface TagContext {
  readonly inContent: boolean;
  readonly images: ImageContext;
}

/** Keeps one of IMAGE_TAGS, or what it offers to the picture element around it. */
export function collectImage(
  found: Candidates,
  { name, attributes }: { name: string; attributes: Attributes },
  context: TagContext,
): void {
  if (name === 'source') return collectSource(attributes, context.images.sets);
  if (name === 'img') return collectImg(found, attributes, context);
  if (found.moreImages.length >= MAX_IMAGES) return undefined;
  if (name === 'video') return collectVideo(found, attributes, context);
  const address = attributes.get('src') ?? null;
  if (address !== null && address.length > MAX_ADDRESS_LENGTH) return undefined;
  const lazySrc = lazyAddress(attributes) ?? address;
  const sets = { srcset: srcsetOf(attributes), others: otherAddresses(attributes) };
  found.moreImages.push({ src: null, lazySrc, kind: 'img', ...sets, ...tagOf(attributes, context) });
  return undefined;
}

/** Keeps the image behind one of BACKED_TAGS. */
export function collectBackground(found: Candidates, attributes: Attributes, context: TagContext): void {
  const style = attributes.get('style');
  const value = style?.includes('url(') === true ? style : lazyBackground(attributes);
  if (value === null || found.moreImages.length >= MAX_IMAGES) return;
  const lazySrc = backgroundAddress(value);
  if (lazySrc === null) return;
  found.moreImages.push({ lazySrc, kind: 'background', ...NO_FILES, ...tagOf(attributes, context) });
}

function lazyBackground(attributes: Attributes): string | null {
  for (const name of BACKGROUND_ATTRIBUTES) {
    const value = attributes.get(name);
    if (value !== undefined) return value;
  }
  return null;
}

function collectImg(found: Candidates, attributes: Attributes, context: TagContext): void {
  if (found.images.length >= MAX_IMAGES) return;
  const src = attributes.get('src') ?? null;
  if (src !== null && !isKept(found, src, MAX_ADDRESS_LENGTH)) return;
  const lazySrc = lazyAddress(attributes);
  const sets = { srcset: srcsetOf(attributes), others: otherAddresses(attributes) };
  found.images.push({ src, lazySrc, kind: 'img', ...sets, ...tagOf(attributes, context) });
}

function collectVideo(found: Candidates, attributes: Attributes, context: TagContext): void {
  const poster = attributes.get('poster') || attributes.get('data-poster') || '';
  if (poster === '' || poster.length > MAX_ADDRESS_LENGTH) return;
  found.moreImages.push({ lazySrc: poster, kind: 'video', ...NO_FILES, ...tagOf(attributes, context) });
}

function collectSource(attributes: Attributes, sets: SourceSets | null): void {
  if (sets === null) return;
  const kept = /avif|jxl|heic/i.test(attributes.get('type') ?? '') ? sets.rare : sets.plain;
  const set = srcsetOf(attributes) ?? lazyAddress(attributes) ?? otherAddresses(attributes)[0] ?? null;
  if (set !== null && set.length <= MAX_SET_LENGTH && kept.length < MAX_SETS) kept.push(set);
}

/** Of an image with one address only. */
const NO_FILES = { src: null, srcset: null, others: [] };

type Files = 'src' | 'lazySrc' | 'srcset' | 'others' | 'kind';

function tagOf(attributes: Attributes, { inContent, images }: TagContext): Omit<ImageTag, Files> {
  return {
    sets: setsOf(images.sets),
    width: (attributes.get('width') ?? '').slice(0, 20),
    height: (attributes.get('height') ?? '').slice(0, 20),
    style: (attributes.get('style') ?? '').slice(0, 500),
    hints: [attributes.get('class'), attributes.get('id')].join(' ').slice(0, 300),
    alt: (attributes.get('alt') ?? '').slice(0, 200),
    region: images.isMargin ? 'margin' : inContent ? 'content' : 'body',
    inNoscript: images.inNoscript,
  };
}

function setsOf(sets: SourceSets | null): readonly string[] {
  if (sets === null) return [];
  return sets.plain.length > 0 ? sets.plain : sets.rare;
}
