const LOOKED_AT = 500;
/** Files whose name says that they show nothing; `pixel-phone.jpg` does. */
const NOTHING =
  /\/(?:(?:tracking[_-]?|transparent[_-]?|white[_-]?|image[_-]?|img[_-]?)?(?:pixel|spacer|blank|1x1|1px|transparent|clear|cleardot|shim|placeholder|loading|loader|preloader|ajax-loader|spinner|lazy|lazyload|lazy-?load(?:ing)?|empty|dummy|grey|gray)(?:[_-](?:image|img|icon|pixel|bg|gif))?(?:[_.-]?\d{1,4}(?:x\d{1,4})?)?|no[_-]?(?:image|img|photo|picture|pic|thumb|thumbnail|cover)(?:[_-]?(?:available|found|\d{1,4}(?:x\d{1,4})?))?|(?:image|photo)[_-]?not[_-]?(?:available|found))(?:[._-][0-9a-f]{6,40})?\.(?:gif|png|svg|jpe?g|webp)(?:$|[?#])/i;
/** The same for names that only mean it of formats that photos do not have. */
const NOTHING_SMALL =
  /\/(?:[a-z0-9]|none|null|nil|pix|px|dot|trans|bg|nothing|missing|no|default|holder|1x1[\w-]{0,20})\.(?:gif|svg)(?:$|[?#])|\/missing\.png(?:$|[?#])/i;
/** The plainest of these: pages that name an image for themselves seldom mean a photo by any other. */
const SPACER =
  /\/(?:tracking[_-]?|transparent[_-]?|white[_-]?)?(?:pixel|spacer|blank|1x1|transparent|clear|shim|placeholder|loading|loader|spinner)(?:[_-]?\d{1,4}(?:x\d{1,4})?)?\.(?:gif|png|svg|jpe?g|webp)(?:$|[?#])/i;
const TRACKER =
  /doubleclick\.net|facebook\.com\/tr|scorecardresearch|quantserve|google-analytics|googletagmanager|mc\.yandex|yadro\.ru|top\.mail\.ru\/counter|hit\.gemius|bat\.bing|px\.ads|stats\.wp\.com|\/(?:beacon|pixel|collect|counter|hit|impression|track(?:ing)?)(?:[/?]|\.(?:php|gif|aspx?)\b)|\/(?:ads?|matomo\.php|piwik\.php)[/?]/i;
const MINOR =
  /(?:^|[^a-z])(?:icons?|favicons?|avatars?|sprites?|emojis?|emoticons?|smil(?:ies|ey|eys)|badges?|shields|buttons?|btn|banners?|gravatar|profiles?|authors?|userpics?|headshots?|share|sharing|social|flags?|ratings?|stars?|arrows?|captcha|sponsors?|advert\w{0,10}|ads?)(?![a-z])|logo(?:s|type)?(?![a-z])/i;
const MINOR_TEXT =
  /(?:^|\s)(?:logo|avatar|icon|badge)\s*$|^(?:logo|avatar|icon|badge)(?:\s|$)|(?:build|coverage|ci) status/i;
/** What templates and scripts leave behind in place of an address. */
const UNFILLED =
  /^(?:undefined|null|none|nan|nil|true|false|\(null\)|n\/a|-|_|\.|0|\[object object\])$|^#|\{\{|\}\}|\$\{|\{%|<%|<\?|^%[a-z_]{2,40}%$|^\[[a-z_]{2,40}\]$|\[\[|^__\w{1,40}__$|^[$@]\w{1,40}$|^\{[\w.]{0,40}\}$|\[object(?:%20|\s)object\]/i;
const UNFILLED_PATH = /\/(?:undefined|null|nan|%5bobject%20object%5d|%7b%7b[^/]{0,100}%7d%7d)\/?$/i;
const SIZES = /(?<![\da-z])(\d{2,4})(?:x|,|%2c)(\d{2,4})(?!\d)/gi;
const WIDTH = /[?&,/](?:w|width|s|sz|size|h|height)[=_](\d{1,4})(?!\d)/i;

/** Does the name of a file say that it shows nothing: a spacer, a spinner, a stand-in for a lazy image? */
export function showsNothing(address: string): boolean {
  const start = named(address);
  return NOTHING.test(start) || NOTHING_SMALL.test(start);
}

/** The same for an image that a page names for itself, of which less is suspected. */
export function isSpacer(address: string): boolean {
  return SPACER.test(named(address));
}

/** Does it count visitors? */
export function isTracker(address: string): boolean {
  return TRACKER.test(address.slice(0, LOOKED_AT));
}

/** Do the address, class names or alternative text speak of a logo, an icon, a badge and the like? */
export function isMinor(address: string, { hints, alt }: { hints: string; alt: string }): boolean {
  const path = address.slice(0, LOOKED_AT).replace(/[?#].*$/s, '');
  return (
    MINOR.test(`${path} ${hints}`) || MINOR_TEXT.test(alt) || /\.svg(?:$|[?#])/i.test(address.slice(0, 1_000))
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
