import type { ReadSource } from '../db.js';
import { writeCursor, type Position } from './keyset-cursor.js';
import { MAX_COUNT, type CappedCount, type Page } from './keyset-page.js';
import type { KeysetListing } from './keyset-walk.js';
import { allOf, asTemplate, rawSql, sql, type Sql } from '../sql/sql.js';

/** The key of a row, as an engine gives it. */
export interface FoundKey {
  keyset_key: unknown;
}

/** Rows looked at for the conditions no index serves, in all lists of a statement together. */
const MAX_LOOKED_AT = 25_000;

/**
 * The first pages of several lists with one statement, each list by its own index. Each list with `residual`
 * conditions looks at its share of `lookedAt` rows; a page that is not full by then ends there, and its cursor goes
 * on. The lists have no rows without a sort value; at most 200 at a time.
 */
export async function findFirstPages(
  database: ReadSource,
  listings: readonly KeysetListing[],
  { size, lookedAt = MAX_LOOKED_AT }: { size: number; lookedAt?: number },
): Promise<Page<FoundKey>[]> {
  const share = shareOf(listings, lookedAt);
  const pieces = listings.flatMap((listing, index) => firstRows(listing, index, { limit: size + 1, share }));
  const rows = await query<FoundRow>(database, pieces);
  const found = listings.map((): FoundRows => ({ rows: [], stoppedAt: null }));
  for (const row of rows) {
    const list = found[Number(row.keyset_list)];
    if (Number(row.is_stop) === 1) {
      if (list !== undefined) list.stoppedAt = row;
    } else list?.rows.push(row);
  }
  return listings.map((listing, index) =>
    pageOf(listing, found[index] ?? { rows: [], stoppedAt: null }, size),
  );
}

/** The numbers of rows of such lists with one statement, up to 10,000 each. */
export async function countLists(
  database: ReadSource,
  listings: readonly KeysetListing[],
  lookedAt: number = MAX_LOOKED_AT,
): Promise<CappedCount[]> {
  const share = Math.min(shareOf(listings, lookedAt), MAX_COUNT + 1);
  const pieces = listings.map((listing, index) => countRowsOf(listing, index, share));
  const rows = await query<CountRow>(database, pieces);
  const counts = new Map(rows.map((row) => [Number(row.keyset_list), row]));
  return listings.map(({ residual }, index) => {
    const row = counts.get(index);
    const limit = residual.length === 0 ? MAX_COUNT + 1 : share;
    const exact = Number(row?.looked_at ?? 0) < limit;
    return { count: Math.min(Number(row?.found ?? 0), MAX_COUNT), exact };
  });
}

interface FoundRow extends FoundKey {
  keyset_list: bigint | number;
  keyset_sort: string | bigint | number;
  /** 1: not a row of the list, but the last one that was looked at. */
  is_stop: bigint | number;
}

interface FoundRows {
  rows: FoundRow[];
  /** `null`: the search came to the end of the list. */
  stoppedAt: FoundRow | null;
}

interface CountRow {
  keyset_list: bigint | number;
  looked_at: bigint | number;
  found: bigint | number;
}

/** How many rows each list that has to look may look at. */
function shareOf(listings: readonly KeysetListing[], lookedAt: number): number {
  const looking = listings.filter(({ residual }) => residual.length > 0).length;
  return Math.max(1, Math.floor(lookedAt / Math.max(1, looking)));
}

/** The rows of a list that meet every condition; then, where rows were looked at, the last one of the share. */
function firstRows(
  listing: KeysetListing,
  index: number,
  { limit, share }: { limit: number; share: number },
): Sql[] {
  const { table, columns, sort, key, indexed, residual } = listing;
  const order = [...new Set([sort.column, key.column])].map((column) => `${column} ${sort.direction}`);
  const named = `${sort.column} AS keyset_sort, ${key.column} AS keyset_key`;
  const tail = sql`FROM ${rawSql(table)} WHERE ${allOf(indexed)} ORDER BY ${rawSql(order.join(', '))}`;
  const piece = (rows: Sql, isStop: 0 | 1): Sql =>
    sql`SELECT ${rawSql(`${index} AS keyset_list, ${isStop} AS is_stop, keyset_sort, keyset_key`)}
      FROM (${rows}) AS ${rawSql(`l${index}_${isStop}`)}`;
  if (residual.length === 0) return [piece(sql`SELECT ${rawSql(named)} ${tail} LIMIT ${limit}`, 0)];
  const looked = sql`SELECT ${rawSql([...columns, named].join(', '))} ${tail} LIMIT ${share}`;
  return [
    // Under the table's own name, so that conditions may use it.
    piece(sql`SELECT * FROM (${looked}) AS ${rawSql(table)} WHERE ${allOf(residual)} LIMIT ${limit}`, 0),
    piece(sql`SELECT ${rawSql(named)} ${tail} LIMIT 1 OFFSET ${share - 1}`, 1),
  ];
}

function countRowsOf(
  { table, columns, indexed, residual }: KeysetListing,
  index: number,
  share: number,
): Sql {
  const limit = residual.length === 0 ? MAX_COUNT + 1 : share;
  const names = rawSql(['1 AS one', ...columns].join(', '));
  return sql`SELECT ${rawSql(String(index))} AS keyset_list, COUNT(*) AS looked_at,
    COUNT(CASE WHEN ${allOf(residual)} THEN 1 END) AS found
    FROM (SELECT ${names} FROM ${rawSql(table)} WHERE ${allOf(indexed)} LIMIT ${limit}) AS ${rawSql(table)}`;
}

async function query<Row>({ client }: ReadSource, pieces: readonly Sql[]): Promise<Row[]> {
  const [first, ...rest] = pieces;
  if (first === undefined) return [];
  const statement = rest.reduce((all, piece) => sql`${all} UNION ALL ${piece}`, first);
  return client.$queryRaw<Row[]>(asTemplate(statement), ...statement.values);
}

/** An engine need not keep the order of the pieces, but it keeps the rows of a piece in theirs. */
function pageOf(listing: KeysetListing, { rows: found, stoppedAt }: FoundRows, size: number): Page<FoundKey> {
  const cursorOf = (row: FoundRow): string => writeCursor(listing, positionOf(row));
  const rows = found.slice(0, size).map((row) => ({ cursor: cursorOf(row), row }));
  const isFull = found.length > size;
  return {
    rows,
    hasNextPage: isFull || stoppedAt !== null,
    hasPreviousPage: false,
    startCursor: rows[0]?.cursor ?? null,
    // A full page goes on after its last row, one that has looked at its share where it stopped looking.
    endCursor: !isFull && stoppedAt !== null ? cursorOf(stoppedAt) : (rows.at(-1)?.cursor ?? null),
  };
}

function positionOf({ keyset_sort, keyset_key }: FoundRow): Position {
  return { sort: textOrInteger(keyset_sort), key: textOrInteger(keyset_key) };
}

function textOrInteger(value: unknown): string | bigint {
  return typeof value === 'string' || typeof value === 'bigint' ? value : BigInt(Number(value));
}
