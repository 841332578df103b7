import { setImmediate as nextTurn } from 'node:timers/promises';

import type { ReadSource } from '../db.js';
import { KeysetWalk, type KeysetListing } from './keyset-walk.js';

const WINDOW_ROWS = 5000;

/** Counts every row of a list, however long that takes, leaving the event loop free in between. */
export async function countAll(
  database: ReadSource,
  listing: KeysetListing,
  signal?: AbortSignal,
): Promise<number> {
  const walk = new KeysetWalk(database, listing, 'forward');
  let count = 0;
  for await (const window of walk.windows(null, WINDOW_ROWS)) {
    signal?.throwIfAborted();
    count += await walk.countWindow(window);
    await nextTurn();
  }
  return count;
}
