import type { Row, Table } from './table.js';

/** Rows that are to be read, whether from a database or from a file. */
export interface RowSource {
  /** Of the tables that are copied. */
  readonly rowCount: number;
  /** Names of the migrations that made the tables, oldest first. */
  readonly migrations: readonly string[];
  /** Every table that is copied, parents first, read one after the other. */
  tables(): AsyncGenerator<SourceTable>;
}

/** Rows of one table by rising keys. */
export interface SourceTable {
  name: string;
  columnNames: readonly string[];
  /** The last key that the engine gave, though its row may be gone; 0: none, or it gives none. */
  lastKey: number;
  pages: () => AsyncGenerator<readonly Row[]>;
}

/** The tables of one database over a connection of its own. */
export interface RowStore {
  /** As the database itself describes them, without its list of migrations. */
  readonly tables: readonly Table[];
  count(table: Table): Promise<number>;
  /** All rows by rising keys. */
  pages(table: Table): AsyncGenerator<readonly Row[]>;
  /** Those that are there of the rows with such keys, in any order. */
  find(table: Table, keys: readonly Row[]): Promise<readonly Row[]>;
  /** All or none. */
  insert(table: Table, rows: readonly Row[]): Promise<void>;
  /** As in `SourceTable`. */
  lastKey(table: Table): Promise<number>;
  setLastKey(table: Table, key: number): Promise<void>;
  execute(sql: string): Promise<void>;
  close(): Promise<void>;
}

/** Rows of one page: some may hold 64 kB and more. */
export const PAGE_ROWS = 250;
