import {
  EMPTY_FILES,
  EMPTY_SMALL_FILES,
  MINOR_TEXTS,
  MINOR_WORDS,
  MISSING_FILES,
  SPACER_FILES,
  TRACKER_PATHS,
  TRACKERS,
} from '../vocabulary/image-files.js';

const LOOKED_AT = 500;
/** What templates and scripts leave behind in place of an address. */
const UNFILLED =
  /^(?:undefined|null|none|nan|nil|true|false|\(null\)|n\/a|-|_|\.|0|\[object object\])$|^#|\{\{|\}\}|\$\{|\{%|<%|<\?|^%[a-z_]{2,40}%$|^\[[a-z_]{2,40}\]$|\[\[|^__\w{1,40}__$|^[$@]\w{1,40}$|^\{[\w.]{0,40}\}$|\[object(?:%20|\s)object\]/i;
const UNFILLED_PATH = /\/(?:undefined|null|nan|%5bobject%20object%5d|%7b%7b[^/]{0,100}%7d%7d)\/?$/i;
const BANNER = /(?<![a-z])banners?(?![a-z])/gi;
const SIZES = /(?<![\da-z])(\d{2,4})(?:[x,:]|%2c|%3a)(\d{2,4})(?!\d)/gi;
const WIDTH = /[?&,/](?:w|width|s|sz|size|h|height)[=_](\d{1,4})(?!\d)/i;

/** Does the name of a file say that it shows nothing: a spacer, a spinner, a stand-in for a lazy image? */
export function showsNothing(address: string): boolean {
  const start = named(address);
  return EMPTY_FILES.has(start) || MISSING_FILES.has(start) || EMPTY_SMALL_FILES.has(start);
}

/** The same for an image that a page names for itself, of which less is suspected. */
export function isSpacer(address: string): boolean {
  return SPACER_FILES.has(named(address));
}

/** Does it count visitors? */
export function isTracker(address: string): boolean {
  const start = address.slice(0, LOOKED_AT);
  return TRACKERS.has(start) || TRACKER_PATHS.has(start);
}

/** Do the address, class names or alternative text speak of a logo, an icon, a badge and the like? */
export function isMinor(address: string, { hints, alt }: { hints: string; alt: string }): boolean {
  const [path = ''] = address.slice(0, LOOKED_AT).split(/[?#]/, 1);
  // A banner of a class may be the large image at the top; one of an address is an advertisement.
  const names = hints.replaceAll(BANNER, '');
  return (
    MINOR_WORDS.has(`${path} ${names}`) ||
    MINOR_TEXTS.has(alt) ||
    /\.svg(?:$|[?#])/i.test(address.slice(0, 1_000))
  );
}

/**
 * The longer side in pixels that the address names (`-150x150.jpg`, `?w=40`), the largest of several; null when it
 * names none.
 */
export function sideInAddress(address: string): number | null {
  const start = address.slice(0, LOOKED_AT);
  const sides = [...start.matchAll(SIZES)].flatMap(([, width, height]) => [Number(width), Number(height)]);
  if (sides.length > 0) return Math.max(...sides);
  const width = WIDTH.exec(start)?.[1];
  return width === undefined ? null : Number(width);
}

/** Was an address as written never filled in? */
export function isUnfilled(address: string): boolean {
  return UNFILLED.test(address.slice(0, LOOKED_AT));
}

/** Can a web address be one of an image? Not the front page of a site, nor what a missing value was put into. */
export function canBeImage({ pathname, search }: URL): boolean {
  if (search === '' && /^\/{1,9}$/.test(pathname)) return false;
  return !UNFILLED_PATH.test(pathname.slice(-200));
}

/** Equal for addresses of one thing: by http or https, its query in any order. */
export function keyOf({ host, pathname, search }: URL): string {
  const query = search.includes('&') ? search.slice(1).split('&').toSorted().join('&') : search.slice(1);
  return `${host}${pathname}?${query}`;
}

/** As if every name stood in a folder. */
function named(address: string): string {
  return `/${address.trim().slice(0, LOOKED_AT)}`;
}
