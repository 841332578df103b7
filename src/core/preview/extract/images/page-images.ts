import { MAX_ADDRESS_LENGTH, isKept } from '../dom/elements.js';
import { bestBodyImages } from './body-images.js';
import { MAX_CANDIDATES, MAX_OF_BODY, SMALLEST_STATED_SIDE } from './image-limits.js';
import { isSpacer, showsNothing } from './image-address.js';
import { ImageCandidates, type ImageCandidate } from './image-candidates.js';
import { statedImages, type StatedImage } from './stated-images.js';
import type { SourceValues } from '../source-values.js';
import { ICON_SELECTOR, IMAGE_SOURCES, originOf } from '../sources.js';

const MAX_PER_SOURCE = 3;
const MAX_READ_PER_SOURCE = 10;
const MAX_ICONS = 2;
const MAX_READ_ICONS = 100;
/** A page often names one lost image under several names; those of its body get their chance before the rest. */
const NAMED_FIRST = 3;
const BODY_FIRST = 2;

/**
 * Images to try for a page, best first, absolute: named ones, those of the body, icons. `page` is where the page
 * was found, `base` what its addresses are relative to.
 */
export function imageCandidates(values: SourceValues, at: { page: URL; base: URL }): ImageCandidate[] {
  const known = new ImageCandidates(at);
  const named = IMAGE_SOURCES.flatMap((source) =>
    known.take(values.of(source).slice(0, MAX_READ_PER_SOURCE), originOf(source), {
      most: MAX_PER_SOURCE,
      refused: isSpacer,
    }),
  );
  const body = known.take(bestBodyImages(values.page.body.images, textsOf(values)), 'img', {
    most: MAX_OF_BODY,
    refused: showsNothing,
  });
  const stated = statedImages(values.page.metas);
  const small = candidatesOf(known, stated.filter(isStatedSmall));
  const namedFirst = named.filter((each) => !small.has(each)).slice(0, NAMED_FIRST);
  const bodyFirst = body.slice(0, BODY_FIRST);
  const rest = [...named, ...body].filter((each) => !namedFirst.includes(each) && !bodyFirst.includes(each));
  const touchIcons = known.take(icons(values), 'icon', { most: MAX_ICONS, refused: showsNothing });
  addFacts(known, stated);
  return [...namedFirst, ...bodyFirst, ...rest, ...touchIcons].slice(0, MAX_CANDIDATES);
}

function addFacts(known: ImageCandidates, stated: readonly StatedImage[]): void {
  for (const image of stated) {
    if (image.facts.size === 0) continue;
    for (const candidate of candidatesOf(known, [image])) {
      for (const [key, value] of image.facts) if (!candidate.facts.has(key)) candidate.facts.set(key, value);
    }
  }
}

function candidatesOf(known: ImageCandidates, stated: readonly StatedImage[]): Set<ImageCandidate> {
  const found = stated.flatMap(({ addresses }) => addresses.map((address) => known.find(address)));
  return new Set(found.filter((candidate) => candidate !== null));
}

function textsOf({ title, description }: SourceValues): string[] {
  return [title, description].filter((text) => text !== null);
}

/** Does the page itself call it small? */
function isStatedSmall({ width, height }: StatedImage): boolean {
  return [width, height].every((side) => side !== null && side > 0 && side < SMALLEST_STATED_SIDE);
}

/** Touch icons are images; favicons only better than nothing; masks are neither. */
function icons({ page }: SourceValues): string[] {
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
    .filter(({ href, rank }) => rank > 0 && isKept(href, MAX_ADDRESS_LENGTH))
    .sort((a, b) => b.rank - a.rank)
    .map(({ href }) => href);
}
