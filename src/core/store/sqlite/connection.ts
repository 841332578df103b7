import { LRUCache } from 'lru-cache';
import type { ColumnType } from '@prisma/driver-adapter-utils';
import type { DriverConstructor, DriverDatabase, DriverStatement, SqliteValue } from './driver.js';
import { declaredTypes } from './values.js';

const MAX_STATEMENTS = 256;

/** A prepared statement with what does not change between its executions. */
export interface PreparedStatement {
  readonly statement: DriverStatement;
  readonly columnNames: string[];
  readonly columnTypes: (ColumnType | null)[];
}

/** One connection with its prepared statements; the least recently used are dropped beyond 256. */
export class SqliteConnection {
  readonly #database: DriverDatabase;
  readonly #statements = new LRUCache<string, PreparedStatement>({ max: MAX_STATEMENTS });

  /** Opens and applies `pragmas` one after the other. Throws errors of the driver. */
  constructor(driver: DriverConstructor, options: { path: string; timeoutMs: number; pragmas: string[] }) {
    this.#database = new driver(options.path, { timeout: options.timeoutMs });
    try {
      for (const pragma of options.pragmas) this.#database.exec(`PRAGMA ${pragma}`);
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  get isTransaction(): boolean {
    return this.#database.isTransaction;
  }

  /** The statement for one piece of SQL, compiled when it was not kept. */
  prepare(sql: string): PreparedStatement {
    const kept = this.#statements.get(sql);
    if (kept !== undefined) return kept;
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    statement.setReadBigInts(true);
    const columns = statement.columns();
    const prepared: PreparedStatement = {
      statement,
      columnNames: columns.map((column) => column.name),
      columnTypes: declaredTypes(columns),
    };
    this.#statements.set(sql, prepared);
    return prepared;
  }

  /** Number of rows the statement changed. */
  run(sql: string, values: SqliteValue[]): number {
    return Number(this.prepare(sql).statement.run(...values).changes);
  }

  /** Runs one or several statements without arguments. */
  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /**
   * Moves the log into the file first, so that the file alone is complete: with prepared statements left, the
   * driver ends the connection only when they are collected as garbage, and a process may end before that.
   */
  close(): void {
    this.#statements.clear();
    try {
      if (!this.isTransaction) this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // Somebody else reads or writes: the log stays beside the file and loses nothing.
    }
    this.#database.close();
  }
}
