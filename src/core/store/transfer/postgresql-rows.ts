import { Client } from 'pg';

import { connectionSettings } from '../connection-settings.js';
import { PAGE_ROWS, type RowStore } from './row-store.js';
import { tablesOf, type Column, type ColumnKind, type Row, type Table, type Value } from './table.js';

interface ColumnRow {
  table: string;
  column: string;
  type: string;
  /** Place in the primary key from 0; `null`: it is no part of it. */
  place: string | null;
  sequence: string | null;
}

/** `name` sorts by bytes, as SQLite does. */
const COLUMNS = `SELECT t.relname AS "table", a.attname AS "column", format_type(a.atttypid, NULL) AS type,
    array_position(i.indkey::int2[], a.attnum) AS place,
    pg_get_serial_sequence(quote_ident(t.relname), a.attname) AS sequence
  FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_index i ON i.indrelid = t.oid AND i.indisprimary
  WHERE t.relnamespace = current_schema()::regnamespace AND t.relkind IN ('r', 'p')
    AND t.relname <> '_prisma_migrations'
  ORDER BY t.relname, a.attname`;
const PARENTS = `SELECT c.relname AS child, p.relname AS parent FROM pg_constraint f
  JOIN pg_class c ON c.oid = f.conrelid JOIN pg_class p ON p.oid = f.confrelid WHERE f.contype = 'f'`;

const KINDS: Readonly<Record<string, ColumnKind>> = {
  integer: 'integer',
  bigint: 'integer',
  'double precision': 'float',
  text: 'text',
  bytea: 'bytes',
  boolean: 'boolean',
  jsonb: 'json',
};

const ENGINE_TYPES: Readonly<Record<ColumnKind, string>> = {
  integer: 'bigint',
  float: 'double precision',
  text: 'text',
  bytes: 'bytea',
  boolean: 'boolean',
  json: 'jsonb',
};

/** Every value as the text that PostgreSQL sends. */
const AS_TEXT = { getTypeParser: () => (text: string) => text };

type TextRow = (string | null)[];

/** The tables of a PostgreSQL database. */
export class PostgresqlRows implements RowStore {
  private constructor(
    private readonly client: Client,
    readonly tables: readonly Table[],
    private readonly sequences: ReadonlyMap<string, string>,
  ) {}

  static async open(url: string, use: 'snapshot' | 'write'): Promise<PostgresqlRows> {
    const client = new Client({ ...connectionSettings(url), types: AS_TEXT });
    // The next query rejects; without a listener the process would end.
    client.on('error', () => undefined);
    await client.connect();
    try {
      if (use === 'snapshot') await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      const { rows } = await client.query<ColumnRow>(COLUMNS);
      const parents = await client.query<{ child: string; parent: string }>(PARENTS);
      const sequences = rows.flatMap(({ table, sequence }) =>
        sequence === null ? [] : [[table, sequence] as const],
      );
      const listed = rows.map(({ place, sequence, ...row }) => ({
        ...row,
        keyPosition: place === null ? null : Number(place),
        isCounted: sequence !== null,
      }));
      return new PostgresqlRows(client, tablesOf(listed, parents.rows, KINDS), new Map(sequences));
    } catch (error) {
      await client.end();
      throw error;
    }
  }

  async count({ name }: Table): Promise<number> {
    const [row] = await this.#query(`SELECT COUNT(*) FROM "${name}"`);
    return Number(row?.[0]);
  }

  async *pages({ name, columns, key }: Table): AsyncGenerator<readonly Row[]> {
    const names = columns.map((column) => `"${column.name}"`).join(', ');
    const order = key.map((column) => `"${column}"`).join(', ');
    await this.client.query(
      `DECLARE rows_of_table NO SCROLL CURSOR FOR SELECT ${names} FROM "${name}" ORDER BY ${order}`,
    );
    for (;;) {
      const rows = await this.#query(`FETCH ${PAGE_ROWS} FROM rows_of_table`);
      if (rows.length > 0) yield rows.map((row) => rowOf(columns, row));
      if (rows.length < PAGE_ROWS) break;
    }
    await this.client.query('CLOSE rows_of_table');
  }

  async find({ name, columns, key }: Table, keys: readonly Row[]): Promise<readonly Row[]> {
    const keyColumns = key.flatMap((wanted) => columns.filter((column) => column.name === wanted));
    const { from, values } = arraysOf(keyColumns, keys);
    const names = columns.map((column) => `t."${column.name}"`).join(', ');
    const on = key.map((column) => `t."${column}" = k."${column}"`).join(' AND ');
    const rows = await this.#query(`SELECT ${names} FROM (${from}) k JOIN "${name}" t ON ${on}`, values);
    return rows.map((row) => rowOf(columns, row));
  }

  async insert({ name, columns }: Table, rows: readonly Row[]): Promise<void> {
    const { from, values } = arraysOf(columns, rows);
    const names = columns.map((column) => `"${column.name}"`).join(', ');
    await this.client.query(`INSERT INTO "${name}" (${names}) ${from}`, values);
  }

  async lastKey({ name }: Table): Promise<number> {
    const sequence = this.sequences.get(name);
    if (sequence === undefined) return 0;
    const [row] = await this.#query(`SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM ${sequence}`);
    return Number(row?.[0]);
  }

  async setLastKey({ name }: Table, key: number): Promise<void> {
    const sequence = this.sequences.get(name);
    if (sequence === undefined) return;
    await this.client.query('SELECT setval($1, $2)', [sequence, key]);
  }

  async execute(sql: string): Promise<void> {
    await this.client.query(sql);
  }

  close(): Promise<void> {
    return this.client.end();
  }

  async #query(text: string, values: unknown[] = []): Promise<TextRow[]> {
    return (await this.client.query<TextRow>({ text, values, rowMode: 'array' })).rows;
  }
}

/** Rows as one array a column: a statement of few parameters, whatever the number of rows. */
function arraysOf(
  columns: readonly Column[],
  rows: readonly Row[],
): { from: string; values: (string | null)[][] } {
  const casts = columns.map(({ name, kind }, index) =>
    kind === 'bytes'
      ? `decode(a${index}, 'base64') AS "${name}"`
      : `a${index}::${ENGINE_TYPES[kind]} AS "${name}"`,
  );
  const names = columns.map((_, index) => `a${index}`).join(', ');
  const arrays = columns.map((_, index) => `$${index + 1}::text[]`).join(', ');
  return {
    from: `SELECT ${casts.join(', ')} FROM unnest(${arrays}) AS r(${names})`,
    values: columns.map((_, index) => rows.map((row) => textOf(row[index] ?? null))),
  };
}

function textOf(value: Value): string | null {
  return value === null ? null : String(value);
}

function rowOf(columns: readonly Column[], values: TextRow): Row {
  return columns.map(({ kind }, index) => valueOf(kind, values[index] ?? null));
}

function valueOf(kind: ColumnKind, text: string | null): Value {
  if (text === null) return null;
  if (kind === 'bytes') return Buffer.from(text.slice(2), 'hex').toString('base64');
  if (kind === 'boolean') return text === 't';
  if (kind === 'float') return Number(text);
  if (kind !== 'integer') return text;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : text;
}
