import { resolveAddress } from '../page-address.js';
import { type SourceValues, ICON_SELECTOR, IMAGE_SOURCES, originOf, namesOf } from '../sources.js';
import { bestBodyImages, MAX_OF_BODY, SMALLEST_STATED_SIDE } from './body-images.js';
import { canBeImage, isUnfilled, keyOf, showsNothing } from './image-address.js';
import type { MetaTag } from '../dom/page.js';
import { MAX_ADDRESS_LENGTH, isKept } from '../dom/elements.js';

/** Candidates a page may give, so that operators see what else there was. */
const MAX_CANDIDATES = 8;
/** Of those and the one of an oEmbed answer so many are tried (`enhanced`) before a preview goes without. */
export const MAX_TRIED = 5;
/** In pixels, of the image itself; shorter sides are those of counters, spacers and strips. */
export const SMALLEST_SIDE = 16;

const MAX_PER_SOURCE = 3;
const MAX_READ_PER_SOURCE = 10;
const MAX_ICONS = 2;
const MAX_READ_ICONS = 100;
/** A page often names one lost image under several names; those of its body get their chance before the rest. */
const NAMED_FIRST = 3;
const BODY_FIRST = 2;

/** An image's absolute address, and where the page gives it. */
interface ImageCandidate {
  address: string;
  readonly origin: string;
}

/**
 * Images to try for a page, best first, absolute: named ones, those of the body, icons. `page` is where the page
 * was found, `base` what its addresses are relative to.
 */
export function imageCandidates(values: SourceValues, at: { page: URL; base: URL }): ImageCandidate[] {
  const known = new Candidates(at);
  const named = IMAGE_SOURCES.flatMap((source) => {
    const addresses = values.of(source).slice(0, MAX_READ_PER_SOURCE);
    return known.take(
      addresses.filter((address) => !showsNothing(address)),
      originOf(source),
      MAX_PER_SOURCE,
    );
  });
  const texts = [values.title, values.description].filter((text) => text !== null);
  const best = bestBodyImages(values.page.body.images, texts);
  const body = known.take(
    best.filter((address) => !showsNothing(address)),
    'img',
    MAX_OF_BODY,
  );
  const small = new Set(statedSmall(values.page.metas).map((written) => known.of(written)));
  const namedFirst = named.filter((each) => !small.has(each)).slice(0, NAMED_FIRST);
  const ordered = new Set([...namedFirst, ...body.slice(0, BODY_FIRST), ...named, ...body]);
  return [...ordered, ...known.take(iconsOf(values), 'icon', MAX_ICONS)].slice(0, MAX_CANDIDATES);
}

class Candidates {
  private readonly byKey = new Map<string, ImageCandidate>();

  constructor(private readonly at: { page: URL; base: URL }) {}

  /** Those of `written` that are new and can be images; `most` at most. */
  take(written: Iterable<string>, origin: string, most: number): ImageCandidate[] {
    const taken: ImageCandidate[] = [];
    for (const text of written) {
      if (taken.length >= most) break;
      const found = this.read(text);
      if (found === null) continue;
      const { key, address } = found;
      const known = this.byKey.get(key);
      if (known === undefined) {
        const candidate = { address, origin };
        this.byKey.set(key, candidate);
        taken.push(candidate);
      } else if (known.address.startsWith('http:') && address.startsWith('https:')) known.address = address;
    }
    return taken;
  }

  of(written: string): ImageCandidate | undefined {
    return this.byKey.get(this.read(written)?.key ?? '');
  }

  /** Null for what is not an image, the page itself among it. */
  private read(written: string): { key: string; address: string } | null {
    const trimmed = written.trim();
    // Some pages escape their addresses twice.
    const text = trimmed.startsWith('data:') ? trimmed : trimmed.replaceAll('&amp;', '&');
    const address = text === '' || isUnfilled(text) ? null : resolveAddress(text, this.at.base);
    if (address === null) return null;
    if (address.startsWith('data:'))
      return /^data:image\//i.test(address.slice(0, 20)) ? { key: address, address } : null;
    const url = new URL(address);
    const key = keyOf(url);
    return canBeImage(url) && key !== keyOf(this.at.page) ? { key, address } : null;
  }
}

/** Touch icons are images; favicons only better than nothing; masks are neither. */
function iconsOf({ page }: SourceValues): string[] {
  const ranked = page
    .elements(ICON_SELECTOR)
    .slice(0, MAX_READ_ICONS)
    .map(({ attribs }) => {
      const kind = attribs['rel']?.toLowerCase() ?? '';
      const side = Number.parseInt(attribs['sizes'] ?? '', 10) || 0;
      const isTouch = kind.includes('apple-touch-icon');
      const rank = isTouch ? 1_000 + side : /(?:^|\s)icon(?:\s|$)/.test(kind.slice(0, 200)) ? 1 + side : 0;
      return { href: attribs['href'] ?? '', rank };
    });
  return ranked
    .filter(({ href, rank }) => rank > 0 && isKept(href, MAX_ADDRESS_LENGTH) && !showsNothing(href))
    .sort((a, b) => b.rank - a.rank)
    .map(({ href }) => href);
}

const ADDRESS = /^og:image(?::url|:secure_url)?$/;
const SIDE = /^og:image:(?:width|height)$/;
const MAX_IMAGES = 20;

/**
 * Addresses, as written, of images whose sides a page states to be small; a side is one of the `og:image` before it
 * (ogp.me, "Structured Properties").
 */
function statedSmall(metas: readonly MetaTag[]): string[] {
  const images: { addresses: string[]; sides: number[] }[] = [];
  for (const meta of metas) {
    if (images.length > MAX_IMAGES || !/og:image/i.test(meta.key)) continue;
    for (const name of namesOf(meta)) {
      if (name === 'og:image' || images.length === 0) images.push({ addresses: [], sides: [] });
      const image = images.at(-1);
      if (ADDRESS.test(name)) image?.addresses.push(meta.content);
      else if (SIDE.test(name)) image?.sides.push(Number.parseInt(meta.content, 10));
    }
  }
  const isSmall = (side: number): boolean => side > 0 && side < SMALLEST_STATED_SIDE;
  return images.flatMap(({ addresses, sides }) =>
    sides.length === 2 && sides.every(isSmall) ? addresses : [],
  );
}
