import type { ReadSource } from '../db.js';
import { readCursor, writeCursor, type Position } from './keyset-cursor.js';
import { KeysetWalk, type ListedRow, type Listing } from './keyset-walk.js';

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
  signal?: AbortSignal | undefined;
  /** For tests. */
  limits?: ScanLimits;
}

/** Looking through a window costs some milliseconds, in which the event loop stands still on SQLite. */
const LIMITS: ScanLimits = { windowRows: 5000, windows: 5, countWindows: 2 };
/** Counts end here. */
const MAX_COUNT = 10_000;

/**
 * One page of a list by keyset: it costs the same however deep in the list, and a row that exists throughout is
 * seen exactly once while others come and go. Residual conditions are looked at in windows that leave the event loop
 * free in between; after so many windows the page ends with what was found, and its cursor goes on from there. Throws
 * 400 for a cursor that is not of this list.
 */
export async function findPage(
  { client }: ReadSource,
  listing: Listing,
  { direction, size, cursor, signal, limits = LIMITS }: PageRequest & ScanOptions,
): Promise<Page<ListedRow>> {
  const start = cursor === null ? null : readCursor(listing, cursor);
  const walk = new KeysetWalk(client, listing, direction);
  const found: ListedRow[] = [];
  let stoppedAt: Position | null = null;
  if (!isSearch(listing)) found.push(...(await walk.rowsFrom(start, size + 1)));
  else
    for await (const window of walk.windows(start, { ...limits, signal })) {
      found.push(...(await walk.rowsOf(window, size + 1 - found.length)));
      stoppedAt = found.length > size ? null : window.end;
      if (found.length > size) break;
    }
  const rows = found
    .slice(0, size)
    .map((row) => ({ cursor: writeCursor(listing, walk.positionOf(row)), row }));
  // A full page goes on after its last row, one that ran out of windows where it stopped looking.
  const near = rows[0]?.cursor ?? cursor;
  const far = stoppedAt === null ? (rows.at(-1)?.cursor ?? null) : writeCursor(listing, stoppedAt);
  const goesOn = found.length > size || stoppedAt !== null;
  return direction === 'forward'
    ? { rows, hasNextPage: goesOn, hasPreviousPage: start !== null, startCursor: near, endCursor: far }
    : {
        rows: rows.toReversed(),
        hasNextPage: start !== null,
        hasPreviousPage: goesOn,
        startCursor: far,
        endCursor: near,
      };
}

/** Counts the rows of a list, as far as 10,000 and as few windows allow; with `isExact` every row, however long that takes. */
export async function countRows(
  { client }: ReadSource,
  listing: Listing,
  { signal, limits = LIMITS, isExact = false }: ScanOptions & { isExact?: boolean } = {},
): Promise<number> {
  const walk = new KeysetWalk(client, listing, 'forward');
  if (!isExact && !isSearch(listing)) return walk.count(MAX_COUNT);
  const windows = isExact ? Infinity : limits.countWindows;
  let count = 0;
  for await (const window of walk.windows(null, { ...limits, windows, signal })) {
    count += await walk.countOf(window);
    if (!isExact && count > MAX_COUNT) break;
  }
  return isExact ? count : Math.min(count, MAX_COUNT);
}

function isSearch({ residual, refinements }: Listing): boolean {
  return residual.length > 0 || refinements.length > 0;
}
