import { bestBodyImages } from './body-images.js';
import { MAX_CANDIDATES, MAX_OF_BODY, SMALLEST_STATED_SIDE } from './image-limits.js';
import { isSpacer, showsNothing } from './image-address.js';
import { ImageCandidates, type ImageCandidate } from './image-candidates.js';
import { statedImages, type StatedImage } from './stated-images.js';
import type { SourceValues } from '../source-values.js';
import { IMAGE_SOURCES } from '../sources.js';

const MAX_PER_SOURCE = 3;
const MAX_READ_PER_SOURCE = 10;
const MAX_ICONS = 2;
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
    known.take(values.of(source).slice(0, MAX_READ_PER_SOURCE), source, {
      most: MAX_PER_SOURCE,
      refused: isSpacer,
    }),
  );
  const { images, moreImages } = values.found;
  const body = known.take(bestBodyImages([...images, ...moreImages], textsOf(values)), 'img', {
    most: MAX_OF_BODY,
    refused: showsNothing,
  });
  const stated = statedImages(values.found.metas);
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
    .map(({ href }) => href);
}
