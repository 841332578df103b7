import { setImmediate as nextTurn } from 'node:timers/promises';

import type { ReadSource } from '../db.js';
import { readCursor, writeCursor, type Position } from './keyset-cursor.js';
import { KeysetWalk, type KeysetListing, type KeysetRow } from './keyset-walk.js';

/** Which page: `size` rows from the cursor on, or from the beginning (backward: from the end). */
export interface PageRequest {
  direction: 'forward' | 'backward';
  /** At least 1. */
  size: number;
  /** As given out with an earlier page; `null` for the first page. */
  cursor: string | null;
}

/** Rows in the order of the list, whichever the direction. */
export interface Page<Row> {
  rows: { cursor: string; row: Row }[];
  /** Also true when the search has not come to an end: then the page may be short, or empty. */
  hasNextPage: boolean;
  hasPreviousPage: boolean;
  /** Where to go on backward and forward: a row of the page, or how far the search has come. */
  startCursor: string | null;
  endCursor: string | null;
}

/** All pages of a list from its beginning; those of a search may be short, or empty. */
export async function* eachPage<Row>(
  pageFrom: (at: Omit<PageRequest, 'size'>) => Promise<Page<Row>>,
): AsyncGenerator<Page<Row>> {
  for (let cursor: string | null = null; ;) {
    const page = await pageFrom({ direction: 'forward', cursor });
    yield page;
    if (!page.hasNextPage) return;
    cursor = page.endCursor;
  }
}

/** How many rows there are; `exact` is false when there are at least so many. */
export interface CappedCount {
  count: number;
  exact: boolean;
}

/** How much is looked at for one page or count. */
export interface ScanLimits {
  /** Rows of one statement, in the order of the list. */
  windowRows: number;
  windows: number;
  /** Windows looked at for a count, which is worth less. */
  countWindows: number;
}

/** What a caller may add. */
export interface ScanOptions {
  /** Ends the search between two windows. */
  signal?: AbortSignal;
  /** For tests. */
  limits?: ScanLimits;
}

const LIMITS: ScanLimits = { windowRows: 5000, windows: 40, countWindows: 10 };
/** Counts end here. */
export const MAX_COUNT = 10_000;

/**
 * One page of a list by keyset: it costs the same however deep in the list, and a row that exists throughout is
 * seen exactly once while others come and go. Conditions under `residual` are looked at in windows that leave the
 * event loop free in between; after so many windows the page ends with what was found, and its cursor goes on from
 * there. Throws 400 for a cursor that is not of this list.
 */
export async function findPage<Row extends object>(
  database: ReadSource,
  listing: KeysetListing,
  request: PageRequest & ScanOptions,
): Promise<Page<Row>> {
  const start = request.cursor === null ? null : readCursor(listing, request.cursor);
  const walk = new KeysetWalk<Row>(database, listing, request.direction);
  const search = await collect(walk, start, { ...request, size: request.size + 1 });
  const hasMore = search.rows.length > request.size;
  const rows = search.rows.slice(0, request.size);
  const last = rows.at(-1);
  // A full page goes on after its last row, one that ran out of windows where it stopped looking.
  const end = !hasMore && search.stoppedAt !== null ? search.stoppedAt : (last?.position ?? null);
  const [first] = rows;
  const edges = rows.map(({ position, row }) => ({ cursor: writeCursor(listing, position), row }));
  const ends = { near: first?.position ?? start, far: end };
  const isForward = request.direction === 'forward';
  const cursorOf = (position: Position | null) => (position === null ? null : writeCursor(listing, position));
  const goesOn = hasMore || search.stoppedAt !== null;
  return {
    rows: isForward ? edges : edges.toReversed(),
    hasNextPage: isForward ? goesOn : start !== null,
    hasPreviousPage: isForward ? start !== null : goesOn,
    startCursor: cursorOf(isForward ? ends.near : ends.far),
    endCursor: cursorOf(isForward ? ends.far : ends.near),
  };
}

/** Counts the rows of a list, as far as 10,000 and as few windows allow. */
export async function countRows(
  database: ReadSource,
  listing: KeysetListing,
  { signal, limits = LIMITS }: ScanOptions = {},
): Promise<CappedCount> {
  const walk = new KeysetWalk(database, listing, 'forward');
  let count = 0;
  if (listing.residual.length === 0) {
    count = await walk.count(MAX_COUNT + 1);
  } else {
    let windows = 0;
    for await (const window of walk.windows(null, limits.windowRows)) {
      signal?.throwIfAborted();
      count += await walk.countWindow(window);
      windows += 1;
      if (count > MAX_COUNT) break;
      if (windows >= limits.countWindows && window.end !== null) return { count, exact: false };
      await nextTurn();
    }
  }
  return count > MAX_COUNT ? { count: MAX_COUNT, exact: false } : { count, exact: true };
}

interface Search<Row> {
  rows: KeysetRow<Row>[];
  /** Set when the windows ran out before the page was full. */
  stoppedAt: Position | null;
}

async function collect<Row extends object>(
  walk: KeysetWalk<Row>,
  start: Position | null,
  { size: wanted, signal, limits = LIMITS }: Pick<PageRequest, 'size'> & ScanOptions,
): Promise<Search<Row>> {
  if (!walk.isWindowed) return { rows: await walk.rowsFrom(start, wanted), stoppedAt: null };
  const rows: KeysetRow<Row>[] = [];
  let windows = 0;
  for await (const window of walk.windows(start, limits.windowRows)) {
    signal?.throwIfAborted();
    rows.push(...(await walk.rowsOf(window, wanted - rows.length)));
    if (rows.length >= wanted) break;
    windows += 1;
    if (windows >= limits.windows && window.end !== null) return { rows, stoppedAt: window.end };
    await nextTurn();
  }
  return { rows, stoppedAt: null };
}
