import type { OpenGraph } from '../open-graph.js';
import { resolveAddress } from '../page-address.js';
import { type SourceValues, ICON_SELECTOR, IMAGE_SOURCES, originOf, namesOf } from '../sources.js';
import { bestBodyImages, MAX_OF_BODY, SMALLEST_STATED_SIDE } from './body-images.js';
import { canBeImage, isSpacer, isUnfilled, keyOf, showsNothing } from './image-address.js';
import { passingValue } from '../page-values.js';
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

/** An image's absolute address, where the page gives it, and what it says of it. */
interface ImageCandidate {
  address: string;
  readonly origin: string;
  readonly facts: OpenGraph;
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
      addresses.filter((address) => !isSpacer(address)),
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
  const stated = statedImages(values.page.metas);
  const small = new Set(stated.filter(isStatedSmall).flatMap((image) => known.of(image)));
  const namedFirst = named.filter((each) => !small.has(each)).slice(0, NAMED_FIRST);
  const ordered = new Set([...namedFirst, ...body.slice(0, BODY_FIRST), ...named, ...body]);
  const icons = known.take(iconsOf(values), 'icon', MAX_ICONS);
  for (const image of stated) {
    for (const { facts } of known.of(image))
      for (const [key, value] of image.facts) if (!facts.has(key)) facts.set(key, value);
  }
  return [...ordered, ...icons].slice(0, MAX_CANDIDATES);
}

/** Distinct addresses that can be images. */
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
        const candidate = { address, origin, facts: new Map() };
        this.byKey.set(key, candidate);
        taken.push(candidate);
      } else if (known.address.startsWith('http:') && address.startsWith('https:')) known.address = address;
    }
    return taken;
  }

  /** Those that were taken for the addresses of an image. */
  of({ addresses }: StatedImage): ImageCandidate[] {
    return addresses
      .map((written) => this.byKey.get(this.read(written)?.key ?? ''))
      .filter((candidate) => candidate !== undefined);
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

/** Does the page itself call it small? */
function isStatedSmall({ sides }: StatedImage): boolean {
  return sides.size === 2 && [...sides.values()].every((side) => side > 0 && side < SMALLEST_STATED_SIDE);
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

/** One image that a page names for itself. */
interface StatedImage {
  /** As written. */
  readonly addresses: string[];
  /** Its further `og:image:` properties. */
  readonly facts: OpenGraph;
  /** Width and height in pixels, as far as they are stated. */
  readonly sides: Map<string, number>;
}

const ADDRESS = /^og:image(?::url|:secure_url)?$/;
const SIDE = /^og:image:(?:width|height)$/;
/** Only our copy tells (SPEC §2.3), as it does of width and height. */
const TYPE = 'og:image:type';
const MAX_IMAGES = 20;
const MAX_FACTS = 10;

/**
 * What a page states of each of its images: a property belongs to the `og:image` before it, and to the first where none
 * is (ogp.me, "Structured Properties").
 */
function statedImages(metas: readonly MetaTag[]): StatedImage[] {
  const images: StatedImage[] = [{ addresses: [], facts: new Map(), sides: new Map() }];
  let isNamed = false;
  for (const meta of metas) {
    if (!/og:image/i.test(meta.key)) continue;
    for (const name of namesOf(meta)) {
      if (name === 'og:image' && isNamed) images.push({ addresses: [], facts: new Map(), sides: new Map() });
      isNamed ||= name === 'og:image';
      const image = images.at(-1);
      if (image === undefined || images.length >= MAX_IMAGES) return images;
      const { addresses, facts, sides } = image;
      if (ADDRESS.test(name)) addresses.push(meta.content);
      else if (SIDE.test(name)) sides.set(name, sides.get(name) ?? Number.parseInt(meta.content, 10));
      else if (name.startsWith('og:image:') && name !== TYPE && !facts.has(name) && facts.size < MAX_FACTS) {
        const value = passingValue(name, meta.content);
        if (value !== null) facts.set(name, value);
      }
    }
  }
  return images;
}
