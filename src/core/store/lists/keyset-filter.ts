import type { Database } from '../db.js';
import type { KeysetOrder } from './keyset-cursor.js';
import type { KeysetListing } from './keyset-walk.js';
import { storableText } from '../../base/text/storable-text.js';
import { hostEnd, readHostPattern } from '../../base/text/url-host.js';
import { containsPattern, rawSql, sql, type Sql } from '../sql/sql.js';

export interface ListCondition {
  sql: Sql;
  /** Columns it looks at. */
  columns: readonly string[];
  /** Orders whose index serves it, by sort column: a range of that column, or the first column of its index. */
  servedBy: readonly string[];
}

/** A list of conditions in an order: what its index serves apart from what is looked at row by row. */
export function filteredListing(order: KeysetOrder, conditions: readonly ListCondition[]): KeysetListing {
  const isServed = ({ servedBy }: ListCondition): boolean => servedBy.includes(order.sort.column);
  const residual = conditions.filter((condition) => !isServed(condition));
  return {
    ...order,
    columns: [...new Set(residual.flatMap(({ columns }) => columns))],
    indexed: conditions.filter(isServed).map((condition) => condition.sql),
    residual: residual.map((condition) => condition.sql),
  };
}

/** `from <= column < to` of a column of times; an end that is absent is open. */
export function timeRange(
  column: string,
  { fromTs, toTs }: { fromTs: number | null; toTs: number | null },
): ListCondition[] {
  const base = { columns: [column], servedBy: [column] };
  return [
    ...(fromTs === null ? [] : [{ ...base, sql: sql`${rawSql(column)} >= ${BigInt(fromTs)}` }]),
    ...(toTs === null ? [] : [{ ...base, sql: sql`${rawSql(column)} < ${BigInt(toTs)}` }]),
  ];
}

/** What lists of previews and media are narrowed by alike; absent members do not matter. */
export interface CreationFilter {
  host?: string;
  /** Created at or after. */
  createdAfterTs?: number;
  /** Created before. */
  createdBeforeTs?: number;
}

/** Conditions on hosts and `created_ts`, which an index has in this order. */
export function createdOf({ host, createdAfterTs, createdBeforeTs }: CreationFilter): ListCondition[] {
  const range = timeRange('created_ts', { fromTs: createdAfterTs ?? null, toTs: createdBeforeTs ?? null });
  return host === undefined ? range : [...range, ...onHost(host, 'created_ts')];
}

/**
 * Conditions on the columns `host` and `host_end`, as `readHostPattern` has it; `order` is the sort column that stands
 * behind each in an index. Below a name of one label there is no index.
 */
export function onHost(text: string, order: string): ListCondition[] {
  const { name, itself, below } = readHostPattern(storableText(text));
  const served = { servedBy: [order] };
  if (!below) return [{ sql: sql`host = ${name}`, columns: ['host'], ...served }];
  const end = hostEnd(name);
  const isWide = end.includes('.');
  const conditions: ListCondition[] = isWide
    ? [{ sql: sql`host_end = ${end}`, columns: ['host_end'], ...served }]
    : [];
  // All that shares two labels lies at or below them.
  if (isWide && name === end && itself) return conditions;
  const like = sql`host LIKE ${containsPattern(`.${name}`).slice(0, -1)} ESCAPE '\\'`;
  const test = itself ? sql`host = ${name} OR ${like}` : like;
  return [...conditions, { sql: test, columns: ['host'], servedBy: [] }];
}

/** What a search in addresses may look at. */
export interface AddressSearch {
  /** Whether it passes over query strings and fragments, for somebody who must not see them. */
  hidesQueries?: boolean;
}

/**
 * An expression for what `Privacy.url` leaves of a column's address, so that no search finds what is not shown. Of an
 * address that names a user it is its host (column `host`) and what follows that; where query strings are hidden it is
 * nothing, since there is no telling apart what of it was found.
 */
export function shownPart(
  engine: Database['engine'],
  column: string,
  { hidesQueries = false }: AddressSearch = {},
): string {
  const isSqlite = engine === 'sqlite';
  const find = (text: string, part: string): string =>
    isSqlite ? `INSTR(${text}, '${part}')` : `STRPOS(${text}, '${part}')`;
  const control = isSqlite ? 'CHAR(9, 10, 13)' : 'CHR(9) || CHR(10) || CHR(13)';
  const open = `SUBSTR(${column}, 1, ${find(`(REPLACE(${column}, '#', '?') || '?')`, '?')} - 1)`;
  const behindScheme = `SUBSTR(${open}, ${find(open, ':')} + 1)`;
  const rest = `LTRIM(REPLACE(${behindScheme}, '\\', '/'), '/' || ${control})`;
  const authority = `SUBSTR(${rest}, 1, ${find(`(${rest} || '/')`, '/')} - 1)`;
  const namesUser = `${find(authority, '@')} > 0`;
  if (hidesQueries) return `CASE WHEN ${namesUser} THEN '' ELSE ${open} END`;
  const path = `SUBSTR(${rest}, LENGTH(${authority}) + 1)`;
  const behindHost = `${path} || SUBSTR(${column}, LENGTH(${open}) + 1)`;
  // Most addresses have no such sign, and are not taken apart.
  const isPlain = `${find(column, '@')} = 0`;
  return `CASE WHEN ${isPlain} THEN ${column} WHEN ${namesUser} THEN host || ${behindHost} ELSE ${column} END`;
}

/** The same for a text: of one that names an address with something hidden in it, nothing. */
export function shownSentence(column: string, { hidesQueries = false }: AddressSearch = {}): string {
  const namesAddress = `REPLACE(${column}, '\\', '/') LIKE '%:/%'`;
  const hides = hidesQueries ? namesAddress : `${namesAddress} AND ${column} LIKE '%@%'`;
  return `CASE WHEN ${hides} THEN '' ELSE ${column} END`;
}

/** Some of the columns contain the text, whatever its case (on SQLite: of ASCII letters). */
export function anyContains(
  engine: Database['engine'],
  columns: readonly string[],
  text: string,
): ListCondition {
  const like = rawSql(engine === 'sqlite' ? 'LIKE' : 'ILIKE');
  const pattern = containsPattern(text);
  const matches = columns.map((column) => sql`${rawSql(column)} ${like} ${pattern} ESCAPE '\\'`);
  const [first = rawSql('1 = 0'), ...rest] = matches;
  return {
    sql: rest.reduce((all, match) => sql`${all} OR ${match}`, first),
    columns,
    servedBy: [],
  };
}
