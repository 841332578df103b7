import type { CooperativeYield } from '../../charset/cooperative-yield.js';
import type { Candidates, StatedFact } from './candidates.js';
import { Collector } from './collector.js';
import { TagReader } from './tag-reader.js';

/** Characters of the body still read once the tags have said all a card needs; authors and dates stand there. */
const BODY_LENGTH_FOR_EXTRAS = 524_288;
/** Characters read of a page in all; heads end within the first million. */
const MAX_LENGTH = 4_194_304;
const FACTS_OF_A_CARD: readonly StatedFact[] = ['title', 'description', 'image'];
const EXTRAS: readonly StatedFact[] = ['published', 'author'];

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
      if (areStated(FACTS_OF_A_CARD, collector.found)) {
        collector.skipBlocks();
        if (bodyLength > BODY_LENGTH_FOR_EXTRAS || areStated(EXTRAS, collector.found)) break;
      }
    }
    await options.cooperativeYield.after(piece.length);
  }
  if (!reader.stopped) reader.end();
  collector.end();
  return collector.found;
}

function areStated(facts: readonly StatedFact[], { stated }: Candidates): boolean {
  return facts.every((fact) => stated.has(fact));
}
