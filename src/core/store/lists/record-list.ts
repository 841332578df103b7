import type { Database } from '../db.js';
import { readCursor, writeCursor, type Position } from './keyset-cursor.js';
import { KeysetWalk, type ListedRow, type Listing, type WindowLimits } from './keyset-walk.js';

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

/** A window takes some milliseconds, in which the event loop stands still on SQLite. */
const PAGE_LIMITS: WindowLimits = { windowRows: 5000, windows: 5 };
const COUNT_LIMITS: WindowLimits = { windowRows: 5000, windows: 2 };
/** Counts end here. */
const MAX_COUNT = 10_000;

/**
 * One page of a list by keyset: it costs the same however deep in the list, and a row that exists throughout is
 * seen exactly once while others come and go. A search ends after so many windows with what was found, and its cursor
 * goes on from there. Throws 400 for a cursor that is not of this list.
 */
export async function findPage(
  { client }: Pick<Database, 'client'>,
  listing: Listing,
  { direction, size, cursor, ...limits }: PageRequest & Partial<WindowLimits>,
): Promise<Page<ListedRow>> {
  const start = cursor === null ? null : readCursor(listing, cursor);
  const walk = new KeysetWalk(client, listing, direction);
  const found: ListedRow[] = [];
  let stoppedAt: Position | null = null;
  for await (const window of walk.windows(start, { ...PAGE_LIMITS, ...limits })) {
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
  { client }: Pick<Database, 'client'>,
  listing: Listing,
  { isExact = false, ...limits }: Partial<WindowLimits> & { isExact?: boolean } = {},
): Promise<number> {
  const walk = new KeysetWalk(client, listing, 'forward');
  const most = isExact ? Infinity : MAX_COUNT;
  if (!walk.isSearch) return walk.count(isExact ? undefined : most);
  let count = 0;
  const wanted = { ...COUNT_LIMITS, ...limits, ...(isExact ? { windows: Infinity } : {}) };
  for await (const window of walk.windows(null, wanted)) {
    count += await walk.countOf(window);
    if (count > most) break;
  }
  return Math.min(count, most);
}

/** How a list reads the rows whose keys it has found. */
export interface RecordListOptions<Wanted, Key, Row> {
  listing: (wanted: Wanted) => Listing | Promise<Listing>;
  /** Those that are there, in any order. */
  find: (keys: readonly Key[], wanted: Wanted) => Promise<Row[]>;
  keyOf: (row: Row) => Key;
}

/** A list for operators: pages found by keyset, their rows read by key. */
export class RecordList<Wanted, Key extends string | number, Row> {
  constructor(
    private readonly database: Database,
    private readonly options: RecordListOptions<Wanted, Key, Row>,
  ) {}

  /** One page, as `findPage`; a row that went meanwhile is left out. */
  async page(wanted: Wanted, request: PageRequest, limits: Partial<WindowLimits> = {}): Promise<Page<Row>> {
    const listing = await this.options.listing(wanted);
    const page = await findPage(this.database, listing, { ...request, ...limits });
    const keys = page.rows.map(({ row }) => this.#keyIn(listing, row));
    const { find, keyOf } = this.options;
    const found = new Map((await find(keys, wanted)).map((row) => [keyOf(row), row]));
    const rows = page.rows.flatMap(({ cursor, row }) => {
      const record = found.get(this.#keyIn(listing, row));
      return record === undefined ? [] : [{ cursor, row: record }];
    });
    return { ...page, rows };
  }

  /** Keys of all rows as they are now, page by page; what is deleted meanwhile does not disturb it. */
  async *keys(wanted: Wanted, size: number): AsyncGenerator<readonly Key[]> {
    const listing = await this.options.listing(wanted);
    const request: PageRequest = { direction: 'forward', size, cursor: null };
    for (let hasNext = true; hasNext;) {
      const { rows, hasNextPage, endCursor } = await findPage(this.database, listing, request);
      if (rows.length > 0) yield rows.map(({ row }) => this.#keyIn(listing, row));
      request.cursor = endCursor;
      hasNext = hasNextPage;
    }
  }

  /** How many there are, as far as is worth while. */
  async count(wanted: Wanted, limits: Partial<WindowLimits> = {}): Promise<number> {
    return countRows(this.database, await this.options.listing(wanted), limits);
  }

  /** How many there are to the last one; takes as long as it takes. */
  async countAll(wanted: Wanted, signal?: AbortSignal): Promise<number> {
    return countRows(this.database, await this.options.listing(wanted), { signal, isExact: true });
  }

  #keyIn({ key }: Listing, row: ListedRow): Key {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the key field holds the keys of the list
    return row[key.name] as Key;
  }
}
