import type { Element } from 'domhandler';

import {
  backgroundAddress,
  lazyAddress,
  otherAddresses,
  srcsetOf,
  bestOfSet,
  widestOfSet,
  isMinor,
  isPoorCopy,
  isTracker,
  showsNothing,
  sideInAddress,
} from './image-address.js';
import { shareOf, wordsOf } from '../../charset/visible-text.js';
import {
  type Attributes,
  MAX_ADDRESS_LENGTH,
  isKept,
  type SourceSets,
  type ElementContext,
} from '../dom/elements.js';

export const MAX_OF_BODY = 4;
/** In pixels; a page that states a shorter side means an icon, counter or spacer. */
export const SMALLEST_STATED_SIDE = 50;
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

/** Longer side of thumbnails, which teasers have more often than the page's own images. */
const THUMBNAIL_SIDE = 200;
const ASSUMED_AREA = 60_000;
/** One that states this size is better than one that neither states nor names any. */
const UNKNOWN_WEIGHT = 0.98;
const LARGEST_AREA = 1_000_000;
const ORDINARY_RATIO = 0.6;
const STRIP_RATIO = 5;
const REGION_WEIGHT = { content: 3, body: 1, margin: 0.2 };
const KIND_WEIGHT = { img: 1, video: 1, background: 0.4 };
const MINOR_WEIGHT = 0.1;
const THUMBNAIL_WEIGHT = 0.4;
const STRIP_WEIGHT = 0.2;
const AGREEING_WEIGHT = 2;
/** Of an image's text: how many words it takes, and what share of them has to be in a text of the page. */
const FEWEST_WORDS = 2;
const ENOUGH = 0.6;

/**
 * Addresses, as written, of the best images of the body, best first: by size and place, by whether their text agrees
 * with one of `texts` (what the page says of itself), and by what their addresses tell. Addresses take longest to
 * judge, so images are taken in the order of all else, until none that is left can be among the best.
 */
export function bestBodyImages(images: readonly ImageTag[], texts: readonly string[]): string[] {
  const known = texts.map(wordsOf);
  const likely = images
    .map((image) => ({
      image,
      most: sizeScore(image) * (agrees(image, known) ? AGREEING_WEIGHT : 1),
    }))
    .filter(({ most }) => most > 0);
  likely.sort((a, b) => b.most - a.most);
  const best: { address: string; score: number }[] = [];
  for (const { image, most } of likely) {
    if ((best[MAX_OF_BODY - 1]?.score ?? 0) >= most) break;
    const address = addressOf(image);
    const score = address === null ? 0 : scoreOf(image, address, most);
    if (address === null || score === 0 || best.some((known) => known.address === address)) continue;
    best.push({ address, score });
    best.sort((a, b) => b.score - a.score);
    best.splice(MAX_OF_BODY);
  }
  return best.map(({ address }) => address);
}

/** Does its text say what the page's own ones say? One word agrees with anything. */
function agrees({ alt }: ImageTag, texts: readonly ReadonlySet<string>[]): boolean {
  const words = alt === '' ? null : wordsOf(alt);
  if (words === null || words.size < FEWEST_WORDS) return false;
  return texts.some((text) => shareOf(words, text) >= ENOUGH);
}

/** What the browser would end up showing: the best of a set, then a lazy address, before a placeholder. */
function addressOf({ src, lazySrc, srcset, sets, others }: ImageTag): string | null {
  const ownBest = srcset === null ? null : bestOfSet(srcset);
  for (const address of [ownBest, lazySrc]) if (isShown(address)) return address;
  const isPlaceholder =
    src !== null && (isPoorCopy(src) || (sideInAddress(src) ?? THUMBNAIL_SIDE) < SMALLEST_STATED_SIDE);
  if (isShown(src) && !isPlaceholder) return src;
  const setsBest = sets.length === 0 ? null : bestOfSet(sets.join(', '));
  if (isShown(setsBest)) return setsBest;
  for (const value of others) {
    const address = /\s/.test(value) ? bestOfSet(value) : value;
    if (isShown(address)) return address;
  }
  return isShown(src) ? src : null;
}

function isShown(address: string | null): address is string {
  return (
    address !== null &&
    !/^\s*(?:$|(?:data|about|blob|javascript):)/i.test(address.slice(0, 100)) &&
    !showsNothing(address)
  );
}

/** The area it takes, more for what stands in the content; 0 for what is too small to show anything. */
function sizeScore(image: ImageTag): number {
  if (isZero(image.width) && isZero(image.height)) return 0;
  const [width, height] = sidesOf(image);
  if ([width, height].some((side) => side !== null && side < SMALLEST_STATED_SIDE)) return 0;
  const weight = REGION_WEIGHT[image.region] * KIND_WEIGHT[image.kind];
  if ((width === null && height === null) || image.kind === 'background') return ASSUMED_AREA * weight;
  const wide = width ?? (height ?? 0) / ORDINARY_RATIO;
  const high = height ?? wide * ORDINARY_RATIO;
  const isStrip = Math.max(wide / high, high / wide) > STRIP_RATIO;
  return Math.min(wide * high, LARGEST_AREA) * weight * (isStrip ? STRIP_WEIGHT : 1);
}

/** 0 for what shows nothing, little for logos and the like however large, less than `most` for thumbnails. */
function scoreOf(image: ImageTag, address: string, most: number): number {
  if (isTracker(address) || (image.inNoscript && !isLikelyImage(image, address))) return 0;
  const side = sideInAddress(address) ?? (image.srcset === null ? null : widestOfSet(image.srcset));
  if (isMinor(address, image) || (side !== null && side < SMALLEST_STATED_SIDE))
    return Math.min(most, ASSUMED_AREA) * MINOR_WEIGHT;
  if (side !== null) return side < THUMBNAIL_SIDE ? most * THUMBNAIL_WEIGHT : most;
  return sidesOf(image).every((stated) => stated === null) ? most * UNKNOWN_WEIGHT : most;
}

/** Without scripts visitors are counted by images that nobody sees. */
function isLikelyImage({ width }: ImageTag, address: string): boolean {
  return pixels(width) !== null || /\.(?:jpe?g|png|webp|avif|gif)(?![\w.])/i.test(address.slice(0, 1_000));
}

function isZero(text: string): boolean {
  return /^\s*0(?:px)?\s*$/i.test(text);
}

/** Width and height as stated, in pixels; null where they are not. */
function sidesOf({ width, height, style }: ImageTag): [number | null, number | null] {
  return [pixels(width) ?? styled(style, STYLE_WIDTH), pixels(height) ?? styled(style, STYLE_HEIGHT)];
}

/** `640`, `640px`; 0, percentages and the rest say nothing. */
function pixels(text: string): number | null {
  return Number(/^\s*(\d{1,5})(?:\.\d+)?(?:px)?\s*$/i.exec(text)?.[1] ?? 0) || null;
}

const STYLE_WIDTH = /(?:^|[;\s])(?:max-)?width\s{0,5}:\s{0,5}(\d{1,5})(?:\.\d{1,5})?px/i;
const STYLE_HEIGHT = /(?:^|[;\s])(?:max-)?height\s{0,5}:\s{0,5}(\d{1,5})(?:\.\d{1,5})?px/i;

function styled(style: string, side: RegExp): number | null {
  const digits = side.exec(style)?.[1];
  return digits === undefined ? null : Number(digits);
}
