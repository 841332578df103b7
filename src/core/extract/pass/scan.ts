import { Breather } from '../../charset/breather.js';
import type { Candidates } from './candidates.js';
import { Collector } from './collector.js';
import { TagReader } from './tag-reader.js';

/**
 * Reads a page once, from pieces of its text, and gives all candidates for all values. No tree is built; memory
 * and work are bounded whatever the page, and the event loop gets its turn between pieces. Rejects when aborted.
 */
export async function scanPage(
  pieces: Iterable<string>,
  options: { breather: Breather; isEnough: (found: Candidates) => boolean },
): Promise<Candidates> {
  const collector = new Collector();
  const reader = new TagReader(collector);
  for (const piece of pieces) {
    reader.write(piece);
    if (reader.stopped) break;
    if (collector.isInBody && options.isEnough(collector.found)) break;
    await options.breather.after(piece.length);
  }
  if (!reader.stopped) reader.end();
  collector.end();
  return collector.found;
}
