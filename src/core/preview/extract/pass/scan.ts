import type { CooperativeYield } from '../../charset/cooperative-yield.js';
import { DESCRIPTIONS, type Candidates } from './candidates.js';
import { Collector } from './collector.js';
import { TagReader } from './tag-reader.js';

/** Characters of the body still read once the tags have said all a card needs; authors and dates stand there. */
const BODY_LENGTH_FOR_EXTRAS = 524_288;
/** Characters read of a page in all; heads end within the first million. */
const MAX_LENGTH = 4_194_304;
const TITLES = ['og:title', 'twitter:title'];
const IMAGES = ['og:image', 'twitter:image'];
const EXTRAS = ['article:published_time', 'author'];

/**
 * Reads a page once, from pieces of its text, and gives all candidates for all values. No tree is built; memory
 * and work are bounded whatever the page, and the event loop gets its turn between pieces. Rejects when aborted.
 * `enhanced` stops early when nothing in the rest can better what the tags said.
 */
export async function scanPage(
  pieces: Iterable<string>,
  options: { cooperativeYield: CooperativeYield; mode: 'standard' | 'enhanced' },
): Promise<Candidates> {
  const collector = new Collector(options.mode);
  const reader = new TagReader(collector);
  let length = 0;
  let bodyLength = 0;
  for (const piece of pieces) {
    // Browsers drop NUL from text; a database may refuse to keep it.
    reader.write(piece.includes('\0') ? piece.replaceAll('\0', '') : piece);
    length += piece.length;
    if (reader.stopped || length > MAX_LENGTH) break;
    if (collector.isInBody && options.mode === 'enhanced') {
      bodyLength += piece.length;
      if (isDescribed(collector)) {
        collector.skipBlocks();
        if (bodyLength > BODY_LENGTH_FOR_EXTRAS || has(collector, EXTRAS, 'every')) break;
      }
    }
    await options.cooperativeYield.after(piece.length);
  }
  if (!reader.stopped) reader.end();
  collector.end();
  return collector.found;
}

function isDescribed(collector: Collector): boolean {
  return (
    has(collector, TITLES, 'some') && has(collector, DESCRIPTIONS, 'some') && has(collector, IMAGES, 'some')
  );
}

function has(collector: Collector, keys: readonly string[], rule: 'some' | 'every'): boolean {
  return keys[rule]((key) => collector.found.metaKeys.has(key));
}
