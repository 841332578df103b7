import { setImmediate } from 'node:timers/promises';

import { SqliteConnection } from '../sqlite/connection.js';
import { loadSqliteDriver, type SqliteValue } from '../sqlite/driver.js';
import { prepareSqliteFile } from '../sqlite/file.js';
import { toAdapterError } from '../sqlite/sqlite-errors.js';
import { PAGE_ROWS, type RowStore } from './row-store.js';
import { tablesOf, type Column, type ColumnKind, type Row, type Table, type Value } from './table.js';

/** Blocks the process: for commands only. */
const BUSY_TIMEOUT_MS = 5000;

const COLUMNS = `SELECT s.name, c.name, c.type, c.pk, s.sql LIKE '%AUTOINCREMENT%'
  FROM sqlite_schema s, pragma_table_info(s.name) c
  WHERE s.type = 'table' AND s.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND s.name <> '_prisma_migrations'
  ORDER BY s.name, c.name`;
const PARENTS = `SELECT s.name, f."table" FROM sqlite_schema s, pragma_foreign_key_list(s.name) f WHERE s.type = 'table'`;

const KINDS: Readonly<Record<string, ColumnKind>> = {
  INTEGER: 'integer',
  BIGINT: 'integer',
  REAL: 'float',
  TEXT: 'text',
  BLOB: 'bytes',
  BOOLEAN: 'boolean',
  JSONB: 'json',
};

/** The tables of a SQLite file. */
export class SqliteRows implements RowStore {
  readonly tables: readonly Table[];

  private constructor(private readonly connection: SqliteConnection) {
    this.tables = readTables(connection);
  }

  static async open(path: string, use: 'snapshot' | 'write'): Promise<SqliteRows> {
    const driver = loadSqliteDriver();
    prepareSqliteFile(path);
    const pragmas = [
      'journal_mode = WAL',
      'foreign_keys = ON',
      'synchronous = NORMAL',
      'cache_size = -32000',
    ];
    try {
      const connection = new SqliteConnection(driver, { path, timeoutMs: BUSY_TIMEOUT_MS, pragmas });
      if (use === 'snapshot') connection.exec('BEGIN');
      return new SqliteRows(connection);
    } catch (error) {
      throw toAdapterError(error);
    }
  }

  async count({ name }: Table): Promise<number> {
    return Number(this.#all(`SELECT COUNT(*) FROM "${name}"`, [])[0]?.[0]);
  }

  async *pages(table: Table): AsyncGenerator<readonly Row[]> {
    const { columns, key } = table;
    const names = list(columns.map(({ name }) => name));
    const at = key.map((name) => columns.findIndex((column) => column.name === name));
    const order = `ORDER BY ${list(key)} LIMIT ${PAGE_ROWS}`;
    let after: SqliteValue[] = [];
    for (;;) {
      const where = after.length === 0 ? '' : `WHERE (${list(key)}) > (${key.map(() => '?').join(', ')})`;
      const rows = this.#all(`SELECT ${names} FROM "${table.name}" ${where} ${order}`, after);
      const last = rows.at(-1);
      if (last === undefined) return;
      after = at.map((index) => last[index] ?? null);
      yield rows.map((row) => rowOf(columns, row));
      await setImmediate();
      if (rows.length < PAGE_ROWS) return;
    }
  }

  async find(table: Table, keys: readonly Row[]): Promise<readonly Row[]> {
    const { name, columns, key } = table;
    const condition = key.map((column) => `"${column}" = ?`).join(' AND ');
    const sql = `SELECT ${list(columns.map((column) => column.name))} FROM "${name}" WHERE ${condition}`;
    const kinds = key.map((wanted) => columns.find((column) => column.name === wanted));
    return keys.flatMap((values) => this.#all(sql, bind(kinds, values)).map((row) => rowOf(columns, row)));
  }

  async insert({ name, columns }: Table, rows: readonly Row[]): Promise<void> {
    const names = list(columns.map((column) => column.name));
    const sql = `INSERT INTO "${name}" (${names}) VALUES (${columns.map(() => '?').join(', ')})`;
    try {
      this.connection.exec('BEGIN IMMEDIATE');
      for (const row of rows) this.connection.run(sql, bind(columns, row));
      this.connection.exec('COMMIT');
    } catch (error) {
      if (this.connection.isTransaction) this.connection.exec('ROLLBACK');
      throw toAdapterError(error);
    }
  }

  async lastKey({ name, isCounted }: Table): Promise<number> {
    if (!isCounted) return 0;
    const [row] = this.#all('SELECT seq FROM sqlite_sequence WHERE name = ?', [name]);
    return Number(row?.[0] ?? 0);
  }

  async setLastKey({ name }: Table, key: number): Promise<void> {
    this.#attempt(() => {
      this.connection.run('DELETE FROM sqlite_sequence WHERE name = ?', [name]);
      this.connection.run('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)', [name, BigInt(key)]);
    });
  }

  async execute(sql: string): Promise<void> {
    this.#attempt(() => this.connection.exec(sql));
  }

  async close(): Promise<void> {
    if (this.connection.isTransaction) this.connection.exec('ROLLBACK');
    this.connection.close();
  }

  #all(sql: string, values: SqliteValue[]): SqliteValue[][] {
    return this.#attempt(() => this.connection.prepare(sql).statement.all(...values));
  }

  #attempt<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw toAdapterError(error);
    }
  }
}

function readTables(connection: SqliteConnection): Table[] {
  const read = (sql: string): SqliteValue[][] => connection.prepare(sql).statement.all();
  const listed = read(COLUMNS).map(([table, column, type, place, isCounted]) => ({
    table: String(table),
    column: String(column),
    type: String(type),
    keyPosition: Number(place) || null,
    isCounted: Number(isCounted) === 1,
  }));
  const parents = read(PARENTS).map(([child, parent]) => ({ child: String(child), parent: String(parent) }));
  return tablesOf(listed, parents, KINDS);
}

function list(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}

function rowOf(columns: readonly Column[], values: readonly SqliteValue[]): Row {
  return columns.map(({ kind }, index) => valueOf(kind, values[index] ?? null));
}

function valueOf(kind: ColumnKind, value: SqliteValue): Value {
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
  if (kind === 'boolean') return value === null ? null : Number(value) !== 0;
  if (kind === 'float') return value === null ? null : Number(value);
  if (typeof value !== 'bigint') return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}

function bind(columns: readonly (Column | undefined)[], row: Row): SqliteValue[] {
  return columns.map((column, index) => {
    const value = row[index] ?? null;
    if (value === null) return null;
    if (column?.kind === 'integer' || column?.kind === 'boolean') return BigInt(value);
    if (column?.kind === 'bytes') return Buffer.from(String(value), 'base64');
    return column?.kind === 'float' ? Number(value) : String(value);
  });
}
