import { bestBodyImages } from './body-images.js';
import { MAX_CANDIDATES, MAX_OF_BODY, SMALLEST_STATED_SIDE } from './image-limits.js';
import { isSpacer, showsNothing } from './image-address.js';
import { ImageCandidates, type ImageCandidate } from './image-candidates.js';
import type { MetaTag } from '../pass/candidates.js';
import { statedImages } from './stated-images.js';
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
  const namedFirst = isStatedSmall(values) ? [] : named.slice(0, NAMED_FIRST);
  const bodyFirst = body.slice(0, BODY_FIRST);
  const rest = [...named, ...body].filter((each) => !namedFirst.includes(each) && !bodyFirst.includes(each));
  const touchIcons = known.take(icons(values), 'icon', { most: MAX_ICONS, refused: showsNothing });
  addFacts(known, values.found.metas);
  return [...namedFirst, ...bodyFirst, ...rest, ...touchIcons].slice(0, MAX_CANDIDATES);
}

function addFacts(known: ImageCandidates, metas: readonly MetaTag[]): void {
  for (const { addresses, facts } of statedImages(metas)) {
    if (facts.size === 0) continue;
    for (const candidate of new Set(addresses.map((address) => known.find(address)))) {
      for (const [key, value] of facts)
        if (candidate?.facts.has(key) === false) candidate.facts.set(key, value);
    }
  }
}

function textsOf({ title, description }: SourceValues): string[] {
  return [title, description].filter((text) => text !== null);
}

function isStatedSmall(values: SourceValues): boolean {
  return ['meta:og:image:width', 'meta:og:image:height'].every((source) => {
    const side = Number.parseInt(values.of(source)[0] ?? '', 10);
    return side > 0 && side < SMALLEST_STATED_SIDE;
  });
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
