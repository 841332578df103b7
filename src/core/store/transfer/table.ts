import { isDeepStrictEqual } from 'node:util';

/** Kinds of columns, the same on every engine. */
export type ColumnKind = 'integer' | 'float' | 'text' | 'bytes' | 'boolean' | 'json';

/** A value in a form that JSON and every engine know: integers beyond 2^53 as decimal text, bytes as base64, JSON as text. */
export type Value = string | number | boolean | null;

/** Values in the order of `Table.columns`. */
export type Row = readonly Value[];

export interface Column {
  name: string;
  kind: ColumnKind;
}

/** A table as the database itself describes it. */
export interface Table {
  name: string;
  /** By name, so that every engine has them in the same order. */
  columns: readonly Column[];
  /** Columns of the primary key, in its order. */
  key: readonly string[];
  /** Tables that have to be filled before, because its rows name theirs. */
  parents: readonly string[];
  /** Whether the engine counts its keys, which are never given twice. */
  isCounted: boolean;
}

/** A column as an engine lists it, by table and name. */
export interface ListedColumn {
  table: string;
  column: string;
  type: string;
  /** Where it stands in the primary key; `null`: it is no part of it. */
  keyPosition: number | null;
  isCounted: boolean;
}

/** Tables of an engine whose types are of these kinds. */
export function tablesOf(
  listed: readonly ListedColumn[],
  parents: readonly { child: string; parent: string }[],
  kinds: Readonly<Record<string, ColumnKind>>,
): Table[] {
  const kindOf = ({ table, type }: ListedColumn): ColumnKind => {
    const kind = kinds[type];
    if (kind === undefined)
      throw new Error(`table ${table} has a column of type ${type}, which cannot be copied`);
    return kind;
  };
  return [...new Set(listed.map(({ table }) => table))].map((name) => {
    const columns = listed.filter(({ table }) => table === name);
    return {
      name,
      columns: columns.map((each) => ({ name: each.column, kind: kindOf(each) })),
      key: columns
        .filter(({ keyPosition }) => keyPosition !== null)
        .toSorted((one, other) => Number(one.keyPosition) - Number(other.keyPosition))
        .map(({ column }) => column),
      parents: parents.filter(({ child }) => child === name).map(({ parent }) => parent),
      isCounted: columns.some(({ isCounted }) => isCounted),
    };
  });
}

/**
 * What only holds while servers run on a database: who is alive, what they tell each other, which of them does what
 * right now. It is never copied; everything else always is.
 */
export const LEFT_OUT: ReadonlySet<string> = new Set(['instance', 'job_lease', 'work_lease']);

/** Tables to copy, parents first. */
export function inOrder(tables: readonly Table[]): Table[] {
  const ordered: Table[] = [];
  let left = tables.filter(({ name }) => !LEFT_OUT.has(name));
  while (left.length > 0) {
    const names = new Set(left.map(({ name }) => name));
    const ready = left.filter(({ parents }) => !parents.some((parent) => names.has(parent)));
    if (ready.length === 0) throw new Error(`the tables ${[...names].join(', ')} name each other`);
    ordered.push(...ready);
    left = left.filter((table) => !ready.includes(table));
  }
  return ordered;
}

/** The values of a row's key. */
export function keyOf({ columns, key }: Table, row: Row): Row {
  return key.map((name) => row[columns.findIndex((column) => column.name === name)] ?? null);
}

/** Whether two rows hold the same; PostgreSQL keeps the members of JSON in an order of its own. */
export function isSameRow({ columns }: Table, one: Row, other: Row): boolean {
  return columns.every(({ kind }, index) => {
    const [value, otherValue] = [one[index], other[index]];
    if (value === otherValue) return true;
    if (kind !== 'json' || typeof value !== 'string' || typeof otherValue !== 'string') return false;
    return isDeepStrictEqual(JSON.parse(value), JSON.parse(otherValue));
  });
}

/** Whether values are what the columns hold. */
export function isRowOf({ columns }: Table, values: unknown): values is Row {
  return (
    Array.isArray(values) &&
    values.length === columns.length &&
    columns.every(({ kind }, index) => values[index] === null || FITS[kind](values[index]))
  );
}

const isText = (value: unknown): boolean => typeof value === 'string';
const INTEGER = /^-?\d{16,19}$/;

const FITS: Record<ColumnKind, (value: unknown) => boolean> = {
  integer: (value) => Number.isSafeInteger(value) || (typeof value === 'string' && INTEGER.test(value)),
  float: (value) => typeof value === 'number',
  text: isText,
  bytes: isText,
  boolean: (value) => typeof value === 'boolean',
  json: isText,
};
