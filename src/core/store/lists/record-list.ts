import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Database, Db } from '../db.js';
import { columnValue, readCursor, writeCursor, type KeysetOrder, type Position } from './keyset-cursor.js';
import type { ListCondition, ListConditions, ListedRow, Where } from './keyset-filter.js';

/** A list of rows of one model. */
export interface Listing extends KeysetOrder {
  conditions: ListConditions;
}

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
  rows: Row[];
  /** Also true when the search has not come to an end: then the page may be short, or empty. */
  hasNextPage: boolean;
  hasPreviousPage: boolean;
  /** Where to go on backward and forward: a row of the page, or how far the search has come. */
  startCursor: string | null;
  endCursor: string | null;
}

/** How much of a list is searched. */
export interface WindowLimits {
  windowRows: number;
  windows: number;
  /** Ends the search between two windows. */
  signal?: AbortSignal | undefined;
}

/** A window takes some milliseconds, in which the event loop stands still on SQLite. */
const PAGE_LIMITS: WindowLimits = { windowRows: 5000, windows: 5 };
const COUNT_LIMITS: WindowLimits = { windowRows: 5000, windows: 2 };
/** Counts end here. */
const MAX_COUNT = 10_000;

/** A list for operators: pages found by keyset, their rows read by key; `find` gives those that are there in any order. */
export class RecordList<Wanted, Key extends string | number, Row> {
  constructor(
    private readonly database: Pick<Database, 'client'>,
    private readonly options: {
      listing: (wanted: Wanted) => Listing | Promise<Listing>;
      find: (keys: readonly Key[], wanted: Wanted) => Promise<Row[]>;
      keyOf: (row: Row) => Key;
    },
  ) {}

  /**
   * One page by keyset: it costs the same however deep in the list, and a row that exists throughout is seen exactly
   * once while others come and go. A search ends after so many windows with what was found, and its cursor goes on from
   * there. Throws 400 for a cursor that is not of this list.
   */
  async page(wanted: Wanted, request: PageRequest, limits: Partial<WindowLimits> = {}): Promise<Page<Row>> {
    const { rows: keys, ...page } = await this.#keyPage(wanted, request, limits);
    const { find, keyOf } = this.options;
    const byKey = new Map((await find(keys, wanted)).map((row) => [keyOf(row), row]));
    return { rows: keys.flatMap((key) => byKey.get(key) ?? []), ...page };
  }

  /** Keys of all rows as they are now, page by page; what is deleted meanwhile does not disturb it. */
  async *keys(wanted: Wanted, size: number): AsyncGenerator<readonly Key[]> {
    const request: PageRequest = { direction: 'forward', size, cursor: null };
    for (let hasNext = true; hasNext;) {
      const { rows, hasNextPage, endCursor } = await this.#keyPage(wanted, request);
      if (rows.length > 0) yield rows;
      request.cursor = endCursor;
      hasNext = hasNextPage;
    }
  }

  /** How many there are, as far as 10,000 and a few windows allow. */
  async count(wanted: Wanted, limits: Partial<WindowLimits> = {}): Promise<number> {
    return Math.min(MAX_COUNT, await this.#count(wanted, MAX_COUNT, { ...COUNT_LIMITS, ...limits }));
  }

  /** How many there are to the last one; takes as long as it takes. */
  countAll(wanted: Wanted, signal?: AbortSignal): Promise<number> {
    return this.#count(wanted, Infinity, { ...COUNT_LIMITS, windows: Infinity, signal });
  }

  async #count(wanted: Wanted, most: number, limits: WindowLimits): Promise<number> {
    const listing = await this.options.listing(wanted);
    const walk = new KeysetWalk(this.database.client, listing, 'forward');
    let count = 0;
    for await (const window of walk.windows(null, limits)) {
      count += await walk.countOf(window, most);
      if (count > most) break;
    }
    return count;
  }

  async #keyPage(
    wanted: Wanted,
    { direction, size, cursor }: PageRequest,
    limits: Partial<WindowLimits> = {},
  ): Promise<Page<Key>> {
    const listing = await this.options.listing(wanted);
    const start = cursor === null ? null : readCursor(listing, cursor);
    const walk = new KeysetWalk(this.database.client, listing, direction);
    const cursorOf = (row: ListedRow | undefined): string | null =>
      row === undefined ? null : writeCursor(listing, walk.positionOf(row));
    const found: ListedRow[] = [];
    let stoppedAt: Position | null = null;
    for await (const window of walk.windows(start, { ...PAGE_LIMITS, ...limits })) {
      found.push(...(await walk.rowsOf(window, size + 1 - found.length)));
      stoppedAt = found.length > size ? null : window.end;
      if (found.length > size) break;
    }
    const rows = found.slice(0, size);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the key field holds the keys of the list
    const keys = rows.map((row) => row[listing.key.name] as Key);
    // A full page goes on after its last row, one that ran out of windows where it stopped looking.
    const near = cursorOf(rows[0]) ?? cursor;
    const far = stoppedAt === null ? cursorOf(rows.at(-1)) : writeCursor(listing, stoppedAt);
    const goesOn = found.length > size || stoppedAt !== null;
    const isForward = direction === 'forward';
    const [hasPreviousPage, hasNextPage] = isForward ? [start !== null, goesOn] : [goesOn, start !== null];
    const [startCursor, endCursor] = isForward ? [near, far] : [far, near];
    return {
      rows: isForward ? keys : keys.toReversed(),
      hasNextPage,
      hasPreviousPage,
      startCursor,
      endCursor,
    };
  }
}

/** Rows of one stretch of a list that are looked at together. */
interface Window {
  range: Where;
  /** Last row of it; `null`: it is the last one of its segment. */
  end: Position | null;
}

/** Engines sort NULL differently; here the rows without a value are a list of their own after the others. */
type Segment = 'values' | 'nulls';

type Piece = { take?: number; skip?: number };
type Query = Piece & { where: Where; orderBy: Where[] };

/** The part of a model's client that lists rows. */
interface Rows {
  findMany(query: Query & { select: Record<string, true> }): Promise<ListedRow[]>;
  count(query: Query): Promise<number>;
}

/** Steps through a list in one direction. */
class KeysetWalk {
  readonly #rows: Rows;
  readonly #segments: readonly Segment[];
  readonly #isDescending: boolean;
  readonly #orderBy: Where[];
  readonly #indexed: readonly Where[];
  readonly #residual: readonly Where[];
  readonly #refined: readonly ListCondition[];

  constructor(
    client: Db,
    private readonly listing: Listing,
    direction: PageRequest['direction'],
  ) {
    const { model, sort, key } = listing;
    const conditions = listing.conditions.flatMap((condition) => condition || []);
    this.#refined = conditions.filter(({ keep }) => keep !== undefined);
    this.#rows = Reflect.get(client, model);
    const segments: Segment[] = sort.isNullable === true ? ['values', 'nulls'] : ['values'];
    this.#segments = direction === 'forward' ? segments : segments.toReversed();
    this.#isDescending = (sort.direction === 'desc') === (direction === 'forward');
    const order = this.#isDescending ? 'desc' : 'asc';
    this.#orderBy = [...new Set([sort.name, key.name])].map((name) => ({ [name]: order }));
    const isServed = ({ servedBy }: ListCondition): boolean => servedBy?.includes(sort.name) ?? false;
    this.#indexed = conditions.filter(isServed).map(({ where }) => where);
    const residual = conditions.filter((each) => !isServed(each)).map(({ where }) => where);
    // Denied twice, so that SQLite goes along the order and looks at the rows of a window alone.
    this.#residual = residual.length === 0 ? [] : [{ NOT: { NOT: { AND: residual } } }];
  }

  positionOf(row: ListedRow): Position {
    const { sort, key } = this.listing;
    const value = row[sort.name];
    return { sort: value === null ? null : columnValue(sort, value), key: columnValue(key, row[key.name]) };
  }

  /**
   * The rest of the list. A search goes in stretches of so many rows, at most so many stretches, other work in between.
   * The end of a stretch is settled before its rows are read: it would move when rows are deleted in between.
   */
  async *windows(start: Position | null, limits: WindowLimits): AsyncGenerator<Window> {
    const isSearch = this.#residual.length > 0;
    const first = start === null ? this.#segments[0] : start.sort === null ? 'nulls' : 'values';
    let left = limits.windows;
    for (const segment of this.#segments.slice(this.#segments.indexOf(first ?? 'values'))) {
      for (let from = segment === first ? start : null; ;) {
        limits.signal?.throwIfAborted();
        const rest = this.#range(segment, from, null);
        const page = { skip: limits.windowRows - 1, take: 1 };
        const [last] = isSearch ? await this.#find([rest], page) : [];
        const end = last === undefined ? null : this.positionOf(last);
        yield { range: this.#range(segment, from, end), end };
        left -= 1;
        if (end === null) break;
        if (left <= 0) return;
        from = end;
        await nextTurn();
      }
    }
  }

  /** Rows of a window that meet every condition, at most `limit`. */
  async rowsOf({ range }: Window, limit: number): Promise<ListedRow[]> {
    const refined = this.#refined;
    const page = refined.length === 0 ? { take: limit } : {};
    const fields = refined.flatMap((condition) => condition.fields ?? []);
    let rows: readonly ListedRow[] = await this.#find([range, ...this.#residual], page, fields);
    for (const { keep } of refined) rows = (await keep?.(rows)) ?? rows;
    return rows.slice(0, limit);
  }

  /** The number of those rows; with more than `most` of them at least one more than that. */
  async countOf(window: Window, most: number): Promise<number> {
    if (this.#refined.length > 0) return (await this.rowsOf(window, Infinity)).length;
    const where = { AND: [...this.#indexed, window.range, ...this.#residual] };
    return this.#rows.count({ where, orderBy: this.#orderBy, ...(most < Infinity && { take: most + 1 }) });
  }

  #find(conditions: readonly Where[], page: Piece, fields: readonly string[] = []): Promise<ListedRow[]> {
    const { sort, key } = this.listing;
    const select = Object.fromEntries([sort.name, key.name, ...fields].map((name) => [name, true as const]));
    const where = { AND: [...this.#indexed, ...conditions] };
    return this.#rows.findMany({ where, orderBy: this.#orderBy, select, ...page });
  }

  /** The rows of a segment behind one position, up to another one. */
  #range(segment: Segment, from: Position | null, to: Position | null): Where {
    const { sort, key } = this.listing;
    const [after, since, upTo] = this.#isDescending ? ['lt', 'lte', 'gte'] : ['gt', 'gte', 'lte'];
    if (segment === 'nulls') {
      const keys = { ...(from && { [after]: from.key }), ...(to && { [upTo]: to.key }) };
      return { [sort.name]: null, [key.name]: keys };
    }
    const values = { ...(from && { [since]: from.sort }), ...(to && { [upTo]: to.sort }) };
    // Of equal values; denied, so that no engine looks for them in another index.
    const except = (at: Position | null, operator: string): Where[] => {
      if (at === null) return [];
      return [{ NOT: { AND: [{ [sort.name]: at.sort }, { [key.name]: { [operator]: at.key } }] } }];
    };
    const hasValue = sort.isNullable === true ? [{ [sort.name]: { not: null } }] : [];
    return { AND: [{ [sort.name]: values }, ...hasValue, ...except(from, upTo), ...except(to, after)] };
  }
}
