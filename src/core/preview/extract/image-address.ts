import type { Element } from 'domhandler';

import { alternatives } from './values.js';

/** In pixels; a page that states a shorter side means an icon, counter or spacer. */
export const SMALLEST_STATED_SIDE = 50;

const { raw } = String;
const END = raw`\.(?:gif|png|svg|jpe?g|webp)(?:$|[?#])`;
const NUMBER = raw`\d{1,4}(?:x\d{1,4})?`;
const EMPTY =
  'pixel|spacer|blank|1x1|transparent|clear|shim|placeholder|loading|loader|spinner|1px|cleardot|preloader|' +
  'ajax-loader|lazy-?load(?:ing)?|lazy|empty|dummy|gr[ae]y';
const BEHIND_EMPTY = `(?:[_-](?:image|img|icon|pixel|bg|gif))?(?:[_.-]?${NUMBER})?`;
const NO_IMAGE =
  '(?:image|photo)[_-]?not[_-]?(?:available|found)|' +
  `no[_-]?(?:image|img|photo|picture|pic|thumb|thumbnail|cover)(?:[_-]?(?:available|found|${NUMBER}))?`;
/** Names of files that show nothing, or say that there is no other; short ones only in formats that photos do not have. */
const EMPTY_FILE = new RegExp(
  `/(?:${alternatives(raw`
    (?:(?:tracking|transparent|white|image|img)[_-]?)?(?:${EMPTY})${BEHIND_EMPTY}(?:[._-][0-9a-f]{6,40})?${END}
    (?:${NO_IMAGE})${END}
    (?:[a-z0-9]|none|null|nil|pi?x|dot|trans|bg|nothing|no|default|holder|missing)\.(?:gif|svg)(?:$|[?#])
    1x1[\w-]{1,20}\.(?:gif|svg)(?:$|[?#])|missing\.png(?:$|[?#])`)})`,
  'i',
);
const TRACKER = new RegExp(
  alternatives(raw`
    doubleclick\.net|facebook\.com/tr|scorecardresearch|quantserve|google-analytics|googletagmanager|mc\.yandex
    yadro\.ru|top\.mail\.ru/counter|hit\.gemius|bat\.bing|px\.ads|stats\.wp\.com|/ads?[/?]|/(?:matomo|piwik)\.php[/?]
    /(?:beacon|collect|counter|hit|impression|pixel|track(?:ing)?)(?:[/?]|\.(?:php|gif|aspx?)\b)`),
  'i',
);
/** Words in addresses and class names of images that are not what a page is about; whole words but `logo`. */
const MINOR_WORD = new RegExp(
  raw`(?:^|[^a-z]|(?=logo))(?:${alternatives(`
    (?:icon|favicon|avatar|sprite|emoji|emoticon|badge|branding|button|banner|profile|author|userpic|headshot|flag)s?
    (?:rating|star|arrow|sponsor|ad)s?|smil(?:ies|ey|eys)|shields|btn|gravatar|share|sharing|social|captcha
    advert\\w{0,10}|logo(?:s|type)?`)})(?![a-z])`,
  'i',
);
/** The same in the alternative text. */
const MINOR_TEXT =
  /(?:^|\s)(?:logo|avatar|icon|badge)\s*$|^(?:logo|avatar|icon|badge)(?:\s|$)|(?:build|coverage|ci) status/i;
/** In addresses of blurred or tiny copies, which scripts replace. */
const POOR_WORD = /(?:^|[^a-z])(?:blur(?:red|ry)?|lqip|tiny|low-?res|placeholder|preload)(?![a-z])/i;
const LOOKED_AT = 500;
/** What templates and scripts leave behind in place of an address. */
const UNFILLED =
  /^(?:undefined|null|none|nan|nil|true|false|n\/a|[-_.0]|\[.*\]|\{.*\}|__\w+__|%\w+%|[$@]\w+)$|^#|\{\{|\}\}|\$\{|\{%|<[%?]|\[object(?:%20|\s)object\]/i;
const UNFILLED_PATH = /\/(?:undefined|null|nan|%5bobject%20object%5d|%7b%7b[^/]{0,100}%7d%7d)\/?$/i;
const BANNER = /(?<![a-z])banners?(?![a-z])/gi;
const SIZES = /(?<![\da-z])(\d{2,4})(?:[x,:]|%2c|%3a)(\d{2,4})(?!\d)/gi;
const WIDTH = /[?&,/](?:w|width|s|sz|size|h|height)[=_](\d{1,4})(?!\d)/i;

/** Does the name of a file say that it shows nothing: a spacer, a spinner, a stand-in for a lazy image? */
export function showsNothing(address: string): boolean {
  return EMPTY_FILE.test(`/${address.trim().slice(0, LOOKED_AT)}`);
}

export function isTracker(address: string): boolean {
  return TRACKER.test(address.slice(0, LOOKED_AT));
}

/** Is it what a missing value was put into? */
export function isUnfilled(address: string): boolean {
  return UNFILLED.test(address.slice(0, LOOKED_AT));
}

/** Can a web address be one of an image? Not the front page of a site, nor what a missing value was put into. */
export function canBeImage({ pathname, search }: URL): boolean {
  if (search === '' && /^\/{1,9}$/.test(pathname)) return false;
  return !UNFILLED_PATH.test(pathname.slice(-200));
}

/** Does an address tell of a blurred or tiny copy, which a script replaces? */
export function isPoorCopy(address: string): boolean {
  return (
    POOR_WORD.test(address.slice(0, LOOKED_AT)) || (sideInAddress(address) ?? Infinity) < SMALLEST_STATED_SIDE
  );
}

/** Do the address, class names or alternative text speak of a logo, an icon, a badge and the like? */
export function isMinor(
  address: string,
  { class: className = '', id = '', alt = '' }: Element['attribs'],
): boolean {
  const [path = ''] = address.split(/[?#]/, 1);
  // A banner of a class may be the large image at the top; one of an address is an advertisement.
  const names = `${className} ${id}`.slice(0, 300).replaceAll(BANNER, '');
  return MINOR_WORD.test(`${path} ${names}`) || MINOR_TEXT.test(alt.slice(0, 200)) || /\.svg$/i.test(path);
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

/** Of a set; larger files only cost more. */
const WIDEST_USEFUL = 2_000;
const MAX_ENTRIES = 50;

/** The largest useful entry of a srcset; HTML §4.8.4.2.1. */
export function bestOfSet(srcset: string): string | null {
  let best: string | null = null;
  let bestSize = -1;
  for (const entry of srcset.split(/,\s+|,(?=https?:|\/)/, MAX_ENTRIES)) {
    const [address = '', descriptor = '1x'] = entry.trim().split(/\s+/, 2);
    const number = Number.parseFloat(descriptor);
    const size = descriptor.endsWith('w') ? number : number * 600;
    if (address === '' || address.startsWith('data:') || !(size > 0)) continue;
    const isBetter =
      size <= WIDEST_USEFUL ? size > bestSize || bestSize > WIDEST_USEFUL : best === null || size < bestSize;
    if (isBetter) {
      best = address.replace(/,$/, '');
      bestSize = size;
    }
  }
  return best;
}

/** The width in pixels of the widest entry of a srcset that states one; null without. */
export function widestOfSet(srcset = ''): number | null {
  const widths = [...srcset.slice(0, 4_000).matchAll(/\s(\d{1,5})w/g)].map(([, digits]) => Number(digits));
  return widths.length === 0 ? null : Math.max(...widths);
}

/** What has a meaning of its own, and smaller copies. */
const NOT_LAZY =
  /^(?:src|srcset|class|id|style|href|sizes)$|(?:title|caption|name|alt|link|placeholder|error|fallback|default|description)$|thumb|small|lqip|blur|low/;
/** Where most pages keep the address of an image that a script loads when it scrolls into view. */
export const LAZY_NAME = /^data-(?:src|original|lazy(?:-src)?|hi-res-src)$/;
const RASTER = /\.(?:jpe?g|png|webp|avif|gif)(?![\w.])/i;
export const SET = /\s\d{1,5}(?:\.\d{1,3})?[wx]\s*(?:,|$)/;

/** Values of attributes that scripts load the image from, those named so first: addresses, and sets of them. */
export function lazyOf(attribs: Element['attribs']): string[] {
  const values = Object.entries(attribs).filter(([name, value]) => {
    const start = value.trim().slice(0, LOOKED_AT);
    if (NOT_LAZY.test(name) || /^(?:data:|javascript:|[#[{<])/i.test(start)) return false;
    if (SET.test(value.slice(-30))) return RASTER.test(start) || name.endsWith('srcset');
    if (/[\s"'<>]/.test(start)) return false;
    return name.endsWith('src') || LAZY_NAME.test(name)
      ? /[/.]/.test(start)
      : start.includes('/') && RASTER.test(start);
  });
  return values
    .sort(([a], [b]) => Number(LAZY_NAME.test(b)) - Number(LAZY_NAME.test(a)))
    .map(([, value]) => value.trim().replaceAll(/\{width\}|%7Bwidth%7D/gi, '800'));
}
