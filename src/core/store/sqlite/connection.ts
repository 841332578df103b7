import { LRUCache } from 'lru-cache';
import {
  ColumnTypeEnum,
  type ColumnType,
  type SqlQuery,
  type SqlResultSet,
  type ArgType,
} from '@prisma/driver-adapter-utils';

import { openDriver, type DriverDatabase, type DriverStatement, type SqliteValue } from './driver.js';

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
  readonly database: DriverDatabase;
  readonly #statements = new LRUCache<string, PreparedStatement>({ max: MAX_STATEMENTS });

  /** Opens and applies `pragmas` one after the other. Throws errors of the driver, as all methods do. */
  constructor(path: string, pragmas: readonly string[]) {
    // SQLite would wait inside the call and block the process: all waiting is done between calls.
    this.database = openDriver(path, 0);
    try {
      for (const pragma of pragmas) this.database.exec(`PRAGMA ${pragma}`);
    } catch (error) {
      this.database.close();
      throw error;
    }
  }

  /** Rows in the form of Prisma. */
  query({ sql, args, argTypes }: SqlQuery): SqlResultSet {
    const { statement, columnNames, columnTypes } = this.prepare(sql);
    const rows: SqliteValue[][] = statement.all(
      ...args.map((value, index) => toSqliteValue(value, argTypes[index])),
    );
    return {
      columnNames,
      columnTypes: columnTypes.map((type, index) => type ?? inferredType(rows, index)),
      rows: rows.map((row) => row.map(toPrismaValue)),
    };
  }

  /** Number of rows the statement changed. */
  execute({ sql, args, argTypes }: SqlQuery): number {
    const values = args.map((value, index) => toSqliteValue(value, argTypes[index]));
    // oxlint-disable-next-line typescript/no-unnecessary-type-conversion -- a bigint, as all integers are here
    return Number(this.prepare(sql).statement.run(...values).changes);
  }

  /** The statement for one piece of SQL, compiled when it was not kept. */
  prepare(sql: string): PreparedStatement {
    const kept = this.#statements.get(sql);
    if (kept !== undefined) return kept;
    const statement = this.database.prepare(sql);
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

  /**
   * Moves the log into the file first, so that the file alone is complete: with prepared statements left, the
   * driver ends the connection only when they are collected as garbage, and a process may end before that.
   */
  close(): void {
    this.#statements.clear();
    try {
      if (!this.database.isTransaction) this.database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // Somebody else reads or writes: the log stays beside the file and loses nothing.
    }
    this.database.close();
  }
}

/** Query argument of Prisma as a value for the driver. Integers go as bigint, so that none becomes a float. */
function toSqliteValue(value: unknown, type: ArgType | undefined): SqliteValue {
  const scalar = type?.scalarType;
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return value;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'number')
    return scalar === 'float' || !Number.isInteger(value) ? value : BigInt(value);
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (typeof value !== 'string') throw new TypeError('This value cannot be stored in SQLite');
  if (scalar === 'int' || scalar === 'bigint') return BigInt(value);
  if (scalar === 'float') return Number(value);
  return scalar === 'bytes' ? Buffer.from(value, 'base64') : value;
}

/** Integers become numbers where that is exact and decimal text otherwise. */
function toPrismaValue(value: SqliteValue): SqliteValue {
  if (typeof value !== 'bigint') return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}

/** Types of columns in our migrations. */
const TYPES: ReadonlyMap<string, ColumnType> = new Map([
  ['INTEGER', ColumnTypeEnum.Int32],
  ['BIGINT', ColumnTypeEnum.Int64],
  ['TEXT', ColumnTypeEnum.Text],
  ['BLOB', ColumnTypeEnum.Bytes],
  ['REAL', ColumnTypeEnum.Double],
  ['BOOLEAN', ColumnTypeEnum.Boolean],
  ['DATETIME', ColumnTypeEnum.DateTime],
  ['JSONB', ColumnTypeEnum.Json],
]);

function declaredType(declaration: string | null): ColumnType | null {
  return TYPES.get(declaration?.toUpperCase() ?? '') ?? null;
}

/** The type of a column by its first value that is not NULL. */
function inferredType(rows: readonly SqliteValue[][], index: number): ColumnType {
  const value = rows.find((row) => row[index] !== null)?.[index];
  if (typeof value === 'bigint') return ColumnTypeEnum.Int64;
  if (typeof value === 'number') return ColumnTypeEnum.Double;
  if (value instanceof Uint8Array) return ColumnTypeEnum.Bytes;
  return value === undefined ? ColumnTypeEnum.Int32 : ColumnTypeEnum.Text;
}
