import type { ReadSource } from '../db.js';
import { countUpTo } from './count-up-to.js';
import type { KeysetColumn, KeysetOrder, Position } from './keyset-cursor.js';
import { allOf, asTemplate, rawSql, sql, type Sql } from '../sql/sql.js';

/** A list of rows of one table. All names are ours; untrusted text comes only as values of conditions. */
export interface KeysetListing extends KeysetOrder {
  /** What is selected: names of columns, those of `residual` among them. */
  columns: readonly string[];
  /** Conditions that the index of the order serves: equality on its first columns, ranges of the sort column. */
  indexed: readonly Sql[];
  /** Conditions looked at row by row, such as a search. They may name the table. */
  residual: readonly Sql[];
}

/** A row and where it stands. */
export interface KeysetRow<Row> {
  position: Position;
  row: Row;
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

type RawRow = Record<string, unknown> & { keyset_sort: unknown; keyset_key: unknown };

/** A limit that limits nothing: it keeps engines from merging a sub-query into its surroundings. */
const NO_LIMIT = 1_000_000_000;

/** Steps through a list in one direction from some position. */
export class KeysetWalk<Row extends object> {
  readonly #segments: readonly Segment[];
  readonly #isDescending: boolean;
  readonly #isKeyAlone: boolean;

  constructor(
    private readonly database: ReadSource,
    private readonly listing: KeysetListing,
    direction: 'forward' | 'backward',
  ) {
    const { sort, key } = listing;
    const segments: Segment[] = sort.nullable ? ['values', 'nulls'] : ['all'];
    this.#segments = direction === 'forward' ? segments : segments.toReversed();
    this.#isDescending = (sort.direction === 'desc') === (direction === 'forward');
    this.#isKeyAlone = sort.column === key.column;
  }

  /** Whether rows have to be looked at one by one. */
  get isWindowed(): boolean {
    return this.listing.residual.length > 0;
  }

  /** The next rows after a position, when the index alone can tell them. */
  async rowsFrom(start: Position | null, limit: number): Promise<KeysetRow<Row>[]> {
    const rows: KeysetRow<Row>[] = [];
    for (const [segment, from] of this.#segmentsFrom(start)) {
      const wanted = limit - rows.length;
      if (wanted === 0) break;
      rows.push(
        ...(await this.#select(sql`${this.#stretch({ segment, start: from, end: null })} LIMIT ${wanted}`)),
      );
    }
    return rows;
  }

  /** The number of rows when the index alone can tell, at most `limit`. */
  count(limit: number): Promise<number> {
    const { table, indexed } = this.listing;
    return countUpTo(this.database, { table, where: allOf(indexed) }, limit);
  }

  /**
   * The rest of the list in stretches of so many rows. The end of a stretch is settled before its rows are read:
   * it would move when rows are deleted in between, and some would never be looked at.
   */
  async *windows(start: Position | null, rows: number): AsyncGenerator<Window> {
    for (const [segment, from] of this.#segmentsFrom(start)) {
      let position = from;
      for (;;) {
        const end = await this.#positionAfter(segment, position, rows);
        yield { segment, start: position, end };
        if (end === null) break;
        position = end;
      }
    }
  }

  /** Rows of a window that meet every condition, at most `limit`. */
  rowsOf(window: Window, limit: number): Promise<KeysetRow<Row>[]> {
    return this.#select(sql`SELECT * FROM ${this.#piece(window)} LIMIT ${limit}`);
  }

  /** The number of those rows. */
  countWindow(window: Window): Promise<number> {
    return this.#countOf(sql`SELECT COUNT(*) AS found FROM ${this.#piece(window)}`);
  }

  /** Under the table's own name, so that conditions may use it. */
  #piece(window: Window): Sql {
    const { table, residual } = this.listing;
    const inner = sql`${this.#stretch(window)} LIMIT ${NO_LIMIT}`;
    return sql`(${inner}) AS ${rawSql(table)} WHERE ${allOf(residual)}`;
  }

  #segmentsFrom(start: Position | null): [Segment, Position | null][] {
    const { sort } = this.listing;
    if (start === null || !sort.nullable) return this.#segments.map((segment) => [segment, start]);
    const within = start.sort === null ? 'nulls' : 'values';
    return this.#segments
      .slice(this.#segments.indexOf(within))
      .map((segment) => [segment, segment === within ? start : null]);
  }

  /** Rows of a segment after one position and up to another, in order. */
  #stretch(window: Window, columns = this.listing.columns): Sql {
    const { table, sort, key, indexed } = this.listing;
    const { segment } = window;
    const names = [...columns, `${sort.column} AS keyset_sort`, `${key.column} AS keyset_key`].join(', ');
    const conditions = [...indexed];
    if (segment === 'values') conditions.push(rawSql(`${sort.column} IS NOT NULL`));
    if (segment === 'nulls') conditions.push(rawSql(`${sort.column} IS NULL`));
    const parts = this.#ranges(window).map(
      (range) => sql`SELECT ${rawSql(names)} FROM ${rawSql(table)} WHERE ${allOf([...conditions, ...range])}`,
    );
    const rows = parts.reduce((all, part) => sql`${all} UNION ALL ${part}`);
    const direction = this.#isDescending ? 'DESC' : 'ASC';
    const order = this.#isKeyAlone ? ['keyset_key'] : ['keyset_sort', 'keyset_key'];
    return sql`${rows} ORDER BY ${rawSql(order.map((name) => `${name} ${direction}`).join(', '))}`;
  }

  /**
   * The conditions of a stretch on what gives the order, for each part of it. SQLite looks for the first of two
   * columns alone in an index, when it is asked for both at once: it would pass over all rows that are equal there.
   */
  #ranges({ segment, start, end }: Window): Sql[][] {
    const { sort, key } = this.listing;
    const [after, upTo, before] = this.#isDescending ? ['<', '>=', '>'] : ['>', '<=', '<'];
    const ofKeys = (from: Position | null, to: Position | null): Sql[] => [
      ...(from === null ? [] : [compared(key, after, from.key)]),
      ...(to === null ? [] : [compared(key, upTo, to.key)]),
    ];
    const isPair = segment !== 'nulls' && !this.#isKeyAlone;
    if (!isPair || (start === null && end === null)) return [ofKeys(start, end)];
    if (this.database.engine === 'postgresql') {
      const ofPairs = (operator: string, at: Position | null): Sql[] =>
        at === null ? [] : [comparedPair([sort, key], operator, at)];
      return [[...ofPairs(after, start), ...ofPairs(upTo, end)]];
    }
    const ofTies = (from: Position | null, to: Position | null): Sql[][] => {
      const at = from ?? to;
      return at === null ? [] : [[compared(sort, '=', at.sort), ...ofKeys(from, to)]];
    };
    if (start !== null && start.sort === end?.sort) return ofTies(start, end);
    const between = [
      ...(start === null ? [] : [compared(sort, after, start.sort)]),
      ...(end === null ? [] : [compared(sort, before, end.sort)]),
    ];
    return [...ofTies(start, null), between, ...ofTies(null, end)];
  }

  async #positionAfter(segment: Segment, start: Position | null, rows: number): Promise<Position | null> {
    const statement = sql`${this.#stretch({ segment, start, end: null }, [])} LIMIT 1 OFFSET ${rows - 1}`;
    const [found] = await this.#query<RawRow>(statement);
    return found === undefined ? null : positionOf(found);
  }

  async #select(statement: Sql): Promise<KeysetRow<Row>[]> {
    // The caller states the form of the columns it named.
    const rows = await this.#query<RawRow & Row>(statement);
    return rows.map((row) => ({ position: positionOf(row), row }));
  }

  async #countOf(statement: Sql): Promise<number> {
    const [counted] = await this.#query<{ found: bigint | number }>(statement);
    return Number(counted?.found ?? 0);
  }

  #query<Found>(statement: Sql): Promise<Found[]> {
    return this.database.client.$queryRaw<Found[]>(asTemplate(statement), ...statement.values);
  }
}

function compared(column: KeysetColumn, operator: string, value: Position['sort']): Sql {
  return sql`${rawSql(`${column.column} ${operator}`)} ${valueOf(column, value)}`;
}

function comparedPair(
  [sort, key]: readonly [KeysetColumn, KeysetColumn],
  operator: string,
  at: Position,
): Sql {
  const columns = rawSql(`(${sort.column}, ${key.column}) ${operator}`);
  return sql`${columns} (${valueOf(sort, at.sort)}, ${valueOf(key, at.key)})`;
}

/** A wide type on purpose: a number too great for a narrow column compares, it does not fail. */
function valueOf({ kind }: KeysetColumn, value: Position['sort']): Sql {
  return kind === 'integer' ? sql`CAST(${value} AS BIGINT)` : sql`${value}`;
}

function positionOf({ keyset_sort: sort, keyset_key: key }: RawRow): Position {
  const read = (value: unknown): string | bigint =>
    typeof value === 'string' || typeof value === 'bigint' ? value : BigInt(Number(value));
  return { sort: sort === null ? null : read(sort), key: read(key) };
}
