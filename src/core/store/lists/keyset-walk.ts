import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Db } from '../db.js';
import { columnValue, type KeysetOrder, type Position } from './keyset-cursor.js';

/** A condition in the form of Prisma. */
export type Where = Record<string, unknown>;

/** A row with the fields that were selected. */
export type ListedRow = Record<string, unknown>;

/** Of the rows that the engine has found, those that are meant: what `LIKE` cannot say exactly. */
export interface Refinement {
  /** What `keep` looks at. */
  fields: readonly string[];
  keep(rows: readonly ListedRow[]): readonly ListedRow[] | Promise<readonly ListedRow[]>;
}

/** A list of rows of one model. */
export interface Listing extends KeysetOrder {
  /** Conditions that the index of the order serves: equality on its first fields, ranges of the sort field. */
  indexed: readonly Where[];
  /** Conditions that the engine looks at row by row, such as a search. */
  residual: readonly Where[];
  refinements: readonly Refinement[];
}

/** Rows of one stretch of a list that are looked at together. */
interface Window {
  segment: Segment;
  start: Position | null;
  /** Last row of it; `null`: up to the end of the segment. */
  end: Position | null;
}

/** Engines sort NULL differently; here the rows without a value are a list of their own after the others. */
type Segment = 'all' | 'values' | 'nulls';

interface Query {
  where: Where;
  orderBy: Where[];
  take?: number;
  skip?: number;
}

/** The part of a model's client that lists rows. */
interface Rows {
  findMany(query: Query & { select: Record<string, true> }): Promise<ListedRow[]>;
  count(query: Query): Promise<number>;
}

/** How much of a list is searched. */
export interface WindowLimits {
  windowRows: number;
  windows: number;
  /** Ends the search between two windows. */
  signal?: AbortSignal | undefined;
}

/** Steps through a list in one direction. */
export class KeysetWalk {
  /** Whether the engine has to look at rows that are not wanted. */
  readonly isSearch: boolean;
  readonly #rows: Rows;
  readonly #segments: readonly Segment[];
  readonly #isDescending: boolean;
  readonly #orderBy: Where[];
  readonly #residual: Where[];

  constructor(
    client: Db,
    private readonly listing: Listing,
    direction: 'forward' | 'backward',
  ) {
    const { model, sort, key, residual } = listing;
    this.isSearch = residual.length > 0 || listing.refinements.length > 0;
    this.#rows = Reflect.get(client, model);
    const segments: Segment[] = sort.nullable ? ['values', 'nulls'] : ['all'];
    this.#segments = direction === 'forward' ? segments : segments.toReversed();
    this.#isDescending = (sort.direction === 'desc') === (direction === 'forward');
    // Denied twice, so that SQLite goes along the order and looks at the rows of a window alone.
    this.#residual = residual.length === 0 ? [] : [{ NOT: { NOT: { AND: residual } } }];
    const order = this.#isDescending ? 'desc' : 'asc';
    this.#orderBy = [...new Set([sort.name, key.name])].map((name) => ({ [name]: order }));
  }

  positionOf(row: ListedRow): Position {
    const { sort, key } = this.listing;
    const value = row[sort.name];
    return { sort: value === null ? null : columnValue(sort, value), key: columnValue(key, row[key.name]) };
  }

  /** The number of rows, if there are no conditions beside those of the index. */
  count(limit: number | undefined): Promise<number> {
    const take = limit === undefined ? {} : { take: limit };
    return this.#rows.count({ where: this.#all([]), orderBy: this.#orderBy, ...take });
  }

  /**
   * The rest of the list. A search goes in stretches of so many rows, at most so many stretches, other work in between.
   * The end of a stretch is settled before its rows are read: it would move when rows are deleted in between.
   */
  async *windows(start: Position | null, limits: WindowLimits): AsyncGenerator<Window> {
    let left = limits.windows;
    for (const [segment, from] of this.#segmentsFrom(start)) {
      for (let position = from; ;) {
        limits.signal?.throwIfAborted();
        const window: Window = { segment, start: position, end: null };
        if (this.isSearch) window.end = await this.#positionAfter(window, limits.windowRows);
        yield window;
        left -= 1;
        if (window.end === null) break;
        if (left <= 0) return;
        position = window.end;
        await nextTurn();
      }
    }
  }

  /** Rows of a window that meet every condition, at most `limit`. */
  async rowsOf(window: Window, limit: number): Promise<ListedRow[]> {
    const { refinements } = this.listing;
    const fields = refinements.flatMap((refinement) => refinement.fields);
    const found: ListedRow[] = [];
    for (const range of this.#ranges(window)) {
      if (found.length >= limit) break;
      const take = refinements.length === 0 ? { take: limit - found.length } : {};
      let rows: readonly ListedRow[] = await this.#find([range, ...this.#residual], take, fields);
      for (const refinement of refinements) rows = await refinement.keep(rows);
      found.push(...rows);
    }
    return found.slice(0, limit);
  }

  /** The number of those rows. */
  async countOf(window: Window): Promise<number> {
    if (this.listing.refinements.length > 0) return (await this.rowsOf(window, Infinity)).length;
    let count = 0;
    for (const range of this.#ranges(window))
      count += await this.#rows.count({
        where: this.#all([range, ...this.#residual]),
        orderBy: this.#orderBy,
      });
    return count;
  }

  #all(conditions: readonly Where[]): Where {
    return { AND: [...this.listing.indexed, ...conditions] };
  }

  #find(
    conditions: readonly Where[],
    page: Pick<Query, 'take' | 'skip'>,
    fields: readonly string[] = [],
  ): Promise<ListedRow[]> {
    const { sort, key } = this.listing;
    const select = Object.fromEntries([sort.name, key.name, ...fields].map((name) => [name, true as const]));
    return this.#rows.findMany({ where: this.#all(conditions), orderBy: this.#orderBy, select, ...page });
  }

  #segmentsFrom(start: Position | null): [Segment, Position | null][] {
    const { sort } = this.listing;
    if (start === null || !sort.nullable) return this.#segments.map((segment) => [segment, start]);
    const within = start.sort === null ? 'nulls' : 'values';
    return this.#segments
      .slice(this.#segments.indexOf(within))
      .map((segment) => [segment, segment === within ? start : null]);
  }

  /**
   * The conditions of a window, for each part of it in order. Engines look for the first of two columns alone in an
   * index, when they are asked for both at once: they would pass over all rows that are equal there.
   */
  #ranges({ segment, start, end }: Window): Where[] {
    const { sort, key } = this.listing;
    const [after, upTo, before] = this.#isDescending ? ['lt', 'gte', 'gt'] : ['gt', 'lte', 'lt'];
    const range = (name: string, low: object, high: object): Where => ({ [name]: { ...low, ...high } });
    const keys = (from: Position | null, to: Position | null): Where =>
      range(key.name, from ? { [after]: from.key } : {}, to ? { [upTo]: to.key } : {});
    if (segment === 'nulls') return [{ [sort.name]: null, ...keys(start, end) }];
    if (sort.name === key.name) return [keys(start, end)];
    const hasValue = segment === 'values' ? { [sort.name]: { not: null } } : {};
    if (start === null && end === null) return [hasValue];
    if (start !== null && start.sort === end?.sort) return [{ [sort.name]: start.sort, ...keys(start, end) }];
    const between = range(sort.name, start ? { [after]: start.sort } : {}, end ? { [before]: end.sort } : {});
    return [
      ...(start === null ? [] : [{ [sort.name]: start.sort, ...keys(start, null) }]),
      between,
      ...(end === null ? [] : [{ [sort.name]: end.sort, ...keys(null, end) }]),
    ];
  }

  async #positionAfter(window: Window, rows: number): Promise<Position | null> {
    let left = rows;
    for (const range of this.#ranges(window)) {
      const [found] = await this.#find([range], { skip: left - 1, take: 1 });
      if (found !== undefined) return this.positionOf(found);
      left -= await this.#rows.count({ where: this.#all([range]), orderBy: this.#orderBy });
    }
    return null;
  }
}
