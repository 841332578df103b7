import { LRUCache } from 'lru-cache';
import type { ColumnType, SqlQuery, SqlResultSet } from '@prisma/driver-adapter-utils';

import { openDriver, type DriverDatabase, type DriverStatement } from './driver.js';
import { declaredType, inferredType, toPrismaValue, toSqliteValue } from './values.js';

const MAX_STATEMENTS = 256;

/** A prepared statement with what does not change between its executions. */
interface PreparedStatement {
  readonly statement: DriverStatement;
  readonly columnNames: string[];
  /** `null` where only the values can tell (expressions). */
  readonly columnTypes: (ColumnType | null)[];
}

/** One connection with its prepared statements; the least recently used are dropped beyond 256. */
export class SqliteConnection {
  readonly #database: DriverDatabase;
  readonly #statements = new LRUCache<string, PreparedStatement>({ max: MAX_STATEMENTS });

  /** Opens and applies `pragmas` one after the other. Throws errors of the driver, as all methods do. */
  constructor(path: string, pragmas: readonly string[]) {
    // SQLite would wait inside the call and block the process: all waiting is done between calls.
    this.#database = openDriver(path, 0);
    try {
      for (const pragma of pragmas) this.#database.exec(`PRAGMA ${pragma}`);
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  get isTransaction(): boolean {
    return this.#database.isTransaction;
  }

  /** Rows in the form of Prisma. */
  query({ sql, args, argTypes }: SqlQuery): SqlResultSet {
    const { statement, columnNames, columnTypes } = this.prepare(sql);
    const rows = statement.all(...args.map((value, index) => toSqliteValue(value, argTypes[index])));
    return {
      columnNames,
      columnTypes: columnTypes.map((type, index) => type ?? inferredType(rows, index)),
      rows: rows.map((row) => row.map(toPrismaValue)),
    };
  }

  /** Number of rows the statement changed. */
  execute({ sql, args, argTypes }: SqlQuery): number {
    const values = args.map((value, index) => toSqliteValue(value, argTypes[index]));
    return Number(this.prepare(sql).statement.run(...values).changes);
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
      columnNames: columns.map(({ name }) => name),
      columnTypes: columns.map(({ type }) => declaredType(type)),
    };
    this.#statements.set(sql, prepared);
    return prepared;
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
