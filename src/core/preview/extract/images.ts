import type { Element } from 'domhandler';

import type { ImageTag } from './body.js';
import { isKept } from './elements.js';
import {
  LAZY_NAME,
  bestOfSet,
  canBeImage,
  isMinor,
  isPoorCopy,
  isTracker,
  isUnfilled,
  lazyOf,
  SET,
  showsNothing,
  sideInAddress,
  widestOfSet,
  SMALLEST_STATED_SIDE,
} from './image-address.js';
import type { Page } from './page.js';
import { resolveAddress } from '../../base/text/url.js';

/** Candidates a page may give, so that operators see what else there was. */
const MAX_CANDIDATES = 8;
/** Of those and the one of an oEmbed answer so many are tried (`enhanced`) before a preview goes without. */
export const MAX_TRIED = 5;
/** In pixels, of the image itself; shorter sides are those of counters, spacers and strips. */
export const SMALLEST_SIDE = 16;

const MAX_PER_SOURCE = 3;
const MAX_READ_PER_SOURCE = 10;
const MAX_OF_BODY = 4;
const MAX_ICONS = 2;
const MAX_READ_ICONS = 100;
/** A page often names one lost image under several names; those of its body get their chance before the rest. */
const NAMED_FIRST = 3;

/** An image's absolute address, and where the page gives it. */
interface ImageCandidate {
  address: string;
  readonly origin: string;
}

interface Written {
  readonly origin: string;
  readonly written: readonly string[];
}

/**
 * Images to try for a page, best first, absolute: `named` ones, those of the body, icons. `address` is where the page
 * was found, `base` what its addresses are relative to.
 */
export function imageCandidates(
  page: Page,
  named: readonly Written[],
  { address, base }: { address: URL; base: URL },
): ImageCandidate[] {
  const byKey = new Map<string, ImageCandidate>();
  const own = keyOf(address);
  /** Those of a source that are new and can be images; `most` at most. */
  const take = ({ origin, written }: Written, most: number): ImageCandidate[] => {
    const taken: ImageCandidate[] = [];
    for (const text of written) {
      const url = taken.length < most ? imageAddress(text, base) : null;
      const key = url === null ? own : url.startsWith('data:') ? url : keyOf(new URL(url));
      if (url === null || key === own) continue;
      const known = byKey.get(key);
      if (known?.address.startsWith('http:') === true && url.startsWith('https:')) known.address = url;
      if (known !== undefined) continue;
      const candidate = { address: url, origin };
      byKey.set(key, candidate);
      taken.push(candidate);
    }
    return taken;
  };
  const stated = named.flatMap(({ origin, written }) =>
    take({ origin, written: written.slice(0, MAX_READ_PER_SOURCE) }, MAX_PER_SOURCE),
  );
  const body = take({ origin: 'img', written: bestBodyImages(page.body.images) }, MAX_OF_BODY);
  const first = isTinyStated(page.contents.get('og:image:width')?.[0]) ? 0 : NAMED_FIRST;
  const icons = take({ origin: 'icon', written: iconsOf(page) }, MAX_ICONS);
  return [...stated.slice(0, first), ...body, ...stated.slice(first), ...icons].slice(0, MAX_CANDIDATES);
}

/** Does a page state that its image is an icon or a counter? */
export function isTinyStated(width: string | undefined): boolean {
  return width !== undefined && Number.parseInt(width, 10) < SMALLEST_STATED_SIDE;
}

/** Null for what is not an image. */
export function imageAddress(written: string, base: URL): string | null {
  const trimmed = written.trim();
  // Some pages escape their addresses twice.
  const text = trimmed.startsWith('data:') ? trimmed : trimmed.replaceAll('&amp;', '&');
  if (text === '' || isUnfilled(text) || showsNothing(text)) return null;
  const address = resolveAddress(text, base);
  if (address === null) return null;
  if (address.startsWith('data:')) return /^data:image\//i.test(address.slice(0, 20)) ? address : null;
  return canBeImage(new URL(address)) ? address : null;
}

/** Equal for addresses of one thing: by http or https, its query in any order. */
function keyOf({ host, pathname, search }: URL): string {
  const query = search.includes('&') ? search.slice(1).split('&').toSorted().join('&') : search.slice(1);
  return `${host}${pathname}?${query}`;
}

/** Touch icons are images; favicons only better than nothing; masks are neither. */
function iconsOf(page: Page): string[] {
  const icons = page.elements('link[rel*="icon" i][href]').slice(0, MAX_READ_ICONS);
  const ranked = icons.map(({ attribs: { rel = '', sizes = '', href = '' } }) => {
    const kind = rel.toLowerCase();
    const isTouch = kind.includes('apple-touch-icon');
    const least = isTouch ? 1_000 : /(?:^|\s)icon(?:\s|$)/.test(kind.slice(0, 200)) ? 1 : 0;
    return { href, rank: least === 0 || !isKept(href) ? 0 : least + (Number.parseInt(sizes, 10) || 0) };
  });
  const fit = ranked.filter(({ rank }) => rank > 0).sort((a, b) => b.rank - a.rank);
  return fit.map(({ href }) => href);
}

const LOOKED_AT = 500;
/** Longer side of thumbnails, which teasers have more often than the page's own images. */
const THUMBNAIL_SIDE = 200;
const ASSUMED_AREA = 60_000;
/** One whose address names a size is better than one of which nothing is known. */
const UNKNOWN_WEIGHT = 0.98;
const LARGEST_AREA = 1_000_000;
const ORDINARY_RATIO = 0.6;
const STRIP_RATIO = 5;
const REGION_WEIGHT = { content: 3, body: 1, margin: 0.2 };
const MINOR_WEIGHT = 0.1;
const THUMBNAIL_WEIGHT = 0.4;
const STRIP_WEIGHT = 0.2;

/**
 * Addresses, as written, of the best images of the body, best first: by size and place, and by what their addresses
 * tell. These take longest to judge, so images are taken in the order of all else, until none that is left can be
 * among the best.
 */
function bestBodyImages(images: readonly ImageTag[]): string[] {
  const likely = images
    .map((image) => ({ image, most: sizeScore(image) }))
    .filter(({ most }) => most > 0)
    .sort((a, b) => b.most - a.most);
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

/** What the browser would end up showing: the best of a set, then a lazy address, before a placeholder. */
function addressOf({ element: { name, attribs }, sets }: ImageTag): string | null {
  if (name === 'video') return [attribs['poster'], attribs['data-poster']].find(isShown) ?? null;
  const { src = '', srcset = '' } = attribs;
  const lazy = lazyOf(attribs);
  const lazySet = lazy.find((value) => SET.test(value.slice(-30))) ?? '';
  const lazySrc = lazy.find((value) => value !== lazySet && !SET.test(value.slice(-30)));
  const around = bestOfSet(sets.join(', '));
  const plain =
    Object.keys(attribs).some((name) => LAZY_NAME.test(name)) || isPoorCopy(src)
      ? [lazySrc, around, src]
      : [src, around, lazySrc];
  return [bestOfSet(lazySet), bestOfSet(srcset), ...plain].find(isShown) ?? null;
}

function isShown(address: string | null | undefined): address is string {
  if (address === null || address === undefined || !isKept(address)) return false;
  return !/^\s*(?:$|(?:data|about|blob|javascript):)/i.test(address.slice(0, 100)) && !showsNothing(address);
}

/** The area it takes, more for what stands in the content; 0 for what is too small to show anything. */
function sizeScore({ element: { attribs }, region }: ImageTag): number {
  if ([attribs['width'], attribs['height']].every(isZero)) return 0;
  const [width, height] = sidesOf(attribs);
  if ([width, height].some((side) => side !== null && side < SMALLEST_STATED_SIDE)) return 0;
  const weight = REGION_WEIGHT[region];
  if (width === null && height === null) return ASSUMED_AREA * weight;
  const wide = width ?? (height ?? 0) / ORDINARY_RATIO;
  const high = height ?? wide * ORDINARY_RATIO;
  const isStrip = Math.max(wide / high, high / wide) > STRIP_RATIO;
  return Math.min(wide * high, LARGEST_AREA) * weight * (isStrip ? STRIP_WEIGHT : 1);
}

/** 0 for what shows nothing, little for logos and the like however large, less than `most` for thumbnails. */
function scoreOf({ element: { attribs }, inNoscript }: ImageTag, address: string, most: number): number {
  const sides = sidesOf(attribs);
  const start = address.slice(0, LOOKED_AT);
  // Without scripts visitors are counted by images that nobody sees.
  const isCounter = inNoscript && sides[0] === null && !/\.(?:jpe?g|png|webp|avif|gif)(?![\w.])/i.test(start);
  if (isCounter || isTracker(start)) return 0;
  const side = sideInAddress(address) ?? widestOfSet(attribs['srcset']);
  if (isMinor(start, attribs) || (side !== null && side < SMALLEST_STATED_SIDE))
    return Math.min(most, ASSUMED_AREA) * MINOR_WEIGHT;
  if (side !== null) return side < THUMBNAIL_SIDE ? most * THUMBNAIL_WEIGHT : most;
  return sides.every((stated) => stated === null) ? most * UNKNOWN_WEIGHT : most;
}

function isZero(text = ''): boolean {
  return /^\s*0(?:px)?\s*$/i.test(text.slice(0, 20));
}

/** Width and height as stated, in pixels; null where they are not. */
function sidesOf({ width, height }: Element['attribs']): [number | null, number | null] {
  return [pixels(width), pixels(height)];
}

/** `640`, `640px`; 0, percentages and the rest say nothing. */
function pixels(text = ''): number | null {
  return Number(/^\s*(\d{1,5})(?:\.\d+)?(?:px)?\s*$/i.exec(text.slice(0, 20))?.[1] ?? 0) || null;
}
