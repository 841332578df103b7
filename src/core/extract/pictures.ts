import type { PictureTag } from './pass/candidates.js';
import type { SourceValues } from './source-values.js';
import { IMAGE_SOURCES } from './sources.js';

const MAX_CANDIDATES = 8;
const MAX_PER_SOURCE = 3;
const MAX_OF_BODY = 4;
const SMALLEST_SIDE = 50;
const ASSUMED_AREA = 60_000;
const LARGEST_AREA = 1_000_000;
const WIDEST_USEFUL = 2_000;
/** Files whose name says that they show nothing; `pixel-phone.jpg` does. */
const NOTHING =
  /\/(?:tracking[_-]?|transparent[_-]?|white[_-]?)?(?:pixel|spacer|blank|1x1|transparent|clear|shim|placeholder|loading|loader|spinner|lazy)(?:[_-]?\d{1,4}(?:x\d{1,4})?)?\.(?:gif|png|svg|jpe?g|webp)(?:$|[?#])/i;
const TRACKER = /doubleclick\.net|facebook\.com\/tr|\/beacon|\/pixel[/?]|\/ads?\/|scorecardresearch/i;
const MINOR = /logo|icon|avatar|sprite|emoji|badge|button|banner|gravatar|profile|author/i;
const PLACE_WEIGHT = { content: 3, body: 1, margin: 0.2 };

/** Addresses to try as the page's picture, best first, as written: named ones, those of the body, icons. */
export function pictureAddresses(values: SourceValues): { address: string; origin: string }[] {
  const candidates: { address: string; origin: string }[] = [];
  const add = (address: string, origin: string): void => {
    const plain = address.trim();
    if (plain !== '' && !candidates.some((known) => known.address === plain))
      candidates.push({ address: plain, origin });
  };
  for (const source of IMAGE_SOURCES) {
    for (const address of values.of(source).slice(0, MAX_PER_SOURCE)) {
      if (!NOTHING.test(address.slice(0, 500))) add(address, source);
    }
  }
  for (const address of bodyPictures(values.found.pictures)) add(address, 'img');
  for (const address of icons(values)) add(address, 'icon');
  return candidates.slice(0, MAX_CANDIDATES);
}

/**
 * The best of the body, by size and place, and by what their addresses tell. The latter costs more, so it is asked in
 * the order of the former, until none that is left can be among the best.
 */
function bodyPictures(pictures: readonly PictureTag[]): string[] {
  const likely = pictures
    .map((picture) => ({ picture, most: sizeScore(picture) }))
    .filter(({ most }) => most > 0);
  likely.sort((a, b) => b.most - a.most);
  const best: { address: string; score: number }[] = [];
  for (const { picture, most } of likely) {
    if ((best[MAX_OF_BODY - 1]?.score ?? 0) >= most) break;
    const address = addressOf(picture);
    const score = address === null ? 0 : most * addressWeight(picture, address);
    if (address === null || score === 0) continue;
    best.push({ address, score });
    best.sort((a, b) => b.score - a.score);
    best.splice(MAX_OF_BODY);
  }
  return best.map(({ address }) => address);
}

/** What the browser would end up showing: a lazy address before a placeholder, the best of a set before both. */
function addressOf({ src, lazySrc, srcset }: PictureTag): string | null {
  const best = srcset === null ? null : bestOfSet(srcset);
  if (best !== null && !NOTHING.test(best.slice(0, 500))) return best;
  if (lazySrc !== null) return lazySrc;
  return src === null || src.trim() === '' || src.startsWith('data:') ? null : src;
}

/** The area it takes, more for what stands in the content; 0 for what is too small to show anything. */
function sizeScore(picture: PictureTag): number {
  const width = pixels(picture.width);
  const height = pixels(picture.height);
  if ((width !== null && width < SMALLEST_SIDE) || (height !== null && height < SMALLEST_SIDE)) return 0;
  const area = width === null || height === null ? ASSUMED_AREA : Math.min(width * height, LARGEST_AREA);
  return area * PLACE_WEIGHT[picture.place];
}

/** 0 for what shows nothing, little for logos and the like. */
function addressWeight({ hints }: PictureTag, address: string): number {
  const start = address.slice(0, 500);
  if (NOTHING.test(start) || TRACKER.test(start)) return 0;
  return MINOR.test(`${start} ${hints}`) || /\.svg(?:$|[?#])/i.test(address.slice(0, 1_000)) ? 0.1 : 1;
}

/** `640`, `640px`; percentages and the rest say nothing. */
function pixels(text: string): number | null {
  if (text === '') return null;
  const digits = /^\s*(\d{1,5})(?:\.\d+)?(?:px)?\s*$/i.exec(text)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** The largest useful entry of a srcset; HTML §4.8.4.2.1. */
export function bestOfSet(srcset: string): string | null {
  let best: string | null = null;
  let bestSize = -1;
  for (const entry of srcset.split(/,\s+|,(?=https?:|\/)/).slice(0, 50)) {
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

/** Touch icons are pictures; favicons only better than nothing; masks are neither. */
function icons(values: SourceValues): string[] {
  const ranked = values.found.links.map(({ rel, href, sizes }) => {
    const kind = rel.toLowerCase();
    if (kind.includes('apple-touch-icon')) return { href, rank: 1_000 + (Number.parseInt(sizes, 10) || 0) };
    if (/(?:^|\s)icon(?:\s|$)/.test(kind.slice(0, 200)))
      return { href, rank: 1 + (Number.parseInt(sizes, 10) || 0) };
    return { href, rank: 0 };
  });
  return ranked
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank)
    .slice(0, 2)
    .map(({ href }) => href);
}
