import type { Element } from 'domhandler';

import type { ElementContext, SourceSets } from '../dom/element-context.js';
import { MAX_ADDRESS_LENGTH, isKept, type Attributes } from '../dom/elements.js';
import { backgroundAddress, lazyAddress, otherAddresses, srcsetOf } from './image-attributes.js';

/** Images of each region, so that no number of others hides those of the content. */
const MAX_IMAGES = 300;
const MAX_SETS = 6;
/** Of a source, whose picture element may hold any number of images. */
const MAX_SET_LENGTH = 4_096;
/** Where scripts find the background that they load later. */
const BACKGROUND_ATTRIBUTES = ['data-bg', 'data-background', 'data-background-image'];
/** Elements that have them. */
const BACKED_TAGS = new Set('div section header figure a span li article td'.split(' '));

/** One image of the page, attributes as written. */
export interface ImageTag {
  /** Null where the attribute is missing, and for all but images. */
  readonly src: string | null;
  /** Address that scripts load later (`data-src` and its kin), of a video's poster or a background; or null. */
  readonly lazySrc: string | null;
  readonly srcset: string | null;
  /** Further attributes that look like the address or srcset of an image, best first. */
  readonly others: readonly string[];
  /** What the sources of the picture element around it offer. */
  readonly sets: readonly string[];
  readonly width: string;
  readonly height: string;
  readonly style: string;
  /** Class and id, for hints such as `logo`. */
  readonly hints: string;
  readonly alt: string;
  readonly kind: 'img' | 'video' | 'background';
  readonly region: 'content' | 'body' | 'margin';
  readonly inNoscript: boolean;
}

type Files = Pick<ImageTag, 'src' | 'lazySrc' | 'srcset' | 'others' | 'kind'>;

/** Gathers the images of a body, in document order. */
export class ImageCollector {
  readonly images: ImageTag[] = [];
  private readonly counts = new Map<string, number>();

  /** Keeps the image that an element is or has, or what it offers to the picture element around it. */
  add({ name, attribs }: Element, context: ElementContext): void {
    if (name === 'source') addSet(attribs, context.sets);
    const files = filesOf(name, attribs);
    if (files === null) return;
    const region = context.isMargin ? 'margin' : context.inContent ? 'content' : 'body';
    const kind = `${files.kind} ${region}`;
    const count = (this.counts.get(kind) ?? 0) + 1;
    if (count > MAX_IMAGES) return;
    this.counts.set(kind, count);
    this.images.push({
      ...files,
      sets: setsOf(context.sets),
      width: (attribs['width'] ?? '').slice(0, 20),
      height: (attribs['height'] ?? '').slice(0, 20),
      style: (attribs['style'] ?? '').slice(0, 500),
      hints: [attribs['class'], attribs['id']].join(' ').slice(0, 300),
      alt: (attribs['alt'] ?? '').slice(0, 200),
      region,
      inNoscript: context.inNoscript,
    });
  }
}

/** Null for what neither is nor has an image. */
function filesOf(name: string, attribs: Attributes): Files | null {
  if (name === 'img' || name === 'amp-img' || name === 'amp-anim') {
    const src = attribs['src'] ?? null;
    if (src !== null && !isKept(src, MAX_ADDRESS_LENGTH)) return null;
    const others = otherAddresses(attribs);
    return { kind: 'img', src, lazySrc: lazyAddress(attribs), srcset: srcsetOf(attribs), others };
  }
  const isVideo = name === 'video';
  const address = isVideo ? posterOf(attribs) : BACKED_TAGS.has(name) ? backgroundOf(attribs) : null;
  if (address === null) return null;
  return { kind: isVideo ? 'video' : 'background', src: null, lazySrc: address, srcset: null, others: [] };
}

function posterOf(attribs: Attributes): string | null {
  const poster = attribs['poster'] || attribs['data-poster'] || '';
  return poster === '' || poster.length > MAX_ADDRESS_LENGTH ? null : poster;
}

function backgroundOf(attribs: Attributes): string | null {
  const style = attribs['style'];
  if (style?.includes('url(') === true) return backgroundAddress(style);
  const lazy = BACKGROUND_ATTRIBUTES.find((name) => name in attribs);
  return lazy === undefined ? null : backgroundAddress(attribs[lazy] ?? '');
}

function addSet(attribs: Attributes, sets: SourceSets | null): void {
  if (sets === null) return;
  const kept = /avif|jxl|heic/i.test(attribs['type'] ?? '') ? sets.rare : sets.plain;
  const set = srcsetOf(attribs) ?? lazyAddress(attribs) ?? otherAddresses(attribs)[0] ?? null;
  if (set !== null && set.length <= MAX_SET_LENGTH && kept.length < MAX_SETS) kept.push(set);
}

function setsOf(sets: SourceSets | null): readonly string[] {
  if (sets === null) return [];
  return sets.plain.length > 0 ? sets.plain : sets.rare;
}
