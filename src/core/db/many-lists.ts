import type { Database } from './db.js';
import { writeCursor } from './keyset-cursor.js';
import type { Position } from './keyset-cursor.js';
import { MAX_COUNT } from './keyset-page.js';
import type { CappedCount, Page } from './keyset-page.js';
import type { KeysetListing } from './keyset-walk.js';
import { allOf, asTemplate, rawSql, sql } from './sql.js';
import type { Sql } from './sql.js';

/** The key of a row, as an engine gives it. */
export interface FoundKey {
  keyset_key: unknown;
}

/**
 * The first pages of several lists with one statement, each list by its own index. The lists have no `residual`
 * conditions and no rows without a sort value; at most 200 at a time.
 */
export async function findFirstPages(
  database: Database,
  listings: readonly KeysetListing[],
  size: number,
): Promise<Page<FoundKey>[]> {
  const pieces = listings.map((listing, index) => firstRows(listing, index, size + 1));
  const rows = await query<FoundRow>(database, pieces);
  const found = listings.map((): FoundRow[] => []);
  for (const row of rows) found[Number(row.keyset_list)]?.push(row);
  return listings.map((listing, index) => pageOf(listing, found[index] ?? [], size));
}

/** The numbers of rows of such lists with one statement, up to 10,000 each. */
export async function countLists(
  database: Database,
  listings: readonly KeysetListing[],
): Promise<CappedCount[]> {
  const pieces = listings.map(
    ({ table, indexed }, index) =>
      sql`SELECT ${rawSql(String(index))} AS keyset_list, COUNT(*) AS found FROM (SELECT 1 AS one
        FROM ${rawSql(table)} WHERE ${allOf(indexed)} LIMIT ${MAX_COUNT + 1}) AS ${rawSql(`l${index}`)}`,
  );
  const rows = await query<CountRow>(database, pieces);
  const counts = new Map(rows.map((row) => [Number(row.keyset_list), Number(row.found)]));
  return listings.map((_, index) => {
    const count = counts.get(index) ?? 0;
    return count > MAX_COUNT ? { count: MAX_COUNT, exact: false } : { count, exact: true };
  });
}

interface FoundRow extends FoundKey {
  keyset_list: bigint | number;
  keyset_sort: string | bigint | number;
}

interface CountRow {
  keyset_list: bigint | number;
  found: bigint | number;
}

function firstRows({ table, sort, key, indexed }: KeysetListing, index: number, limit: number): Sql {
  const names = rawSql(`${index} AS keyset_list, ${sort.column} AS keyset_sort, ${key.column} AS keyset_key`);
  const order = [...new Set([sort.column, key.column])].map((column) => `${column} ${sort.direction}`);
  const rows = sql`SELECT ${names} FROM ${rawSql(table)} WHERE ${allOf(indexed)}
    ORDER BY ${rawSql(order.join(', '))} LIMIT ${limit}`;
  return sql`SELECT * FROM (${rows}) AS ${rawSql(`l${index}`)}`;
}

async function query<Row>({ client }: Database, pieces: readonly Sql[]): Promise<Row[]> {
  const [first, ...rest] = pieces;
  if (first === undefined) return [];
  const statement = rest.reduce((all, piece) => sql`${all} UNION ALL ${piece}`, first);
  return client.$queryRaw<Row[]>(asTemplate(statement), ...statement.values);
}

/** An engine need not keep the order of the pieces, but it keeps the rows of a piece in theirs. */
function pageOf(listing: KeysetListing, found: readonly FoundRow[], size: number): Page<FoundKey> {
  const rows = found.slice(0, size).map((row) => ({ cursor: writeCursor(listing, positionOf(row)), row }));
  return {
    rows,
    hasNextPage: found.length > size,
    hasPreviousPage: false,
    startCursor: rows[0]?.cursor ?? null,
    endCursor: rows.at(-1)?.cursor ?? null,
  };
}

function positionOf({ keyset_sort, keyset_key }: FoundRow): Position {
  return { sort: textOrInteger(keyset_sort), key: textOrInteger(keyset_key) };
}

function textOrInteger(value: unknown): string | bigint {
  return typeof value === 'string' || typeof value === 'bigint' ? value : BigInt(Number(value));
}
