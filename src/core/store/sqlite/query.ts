import type { SqlQuery, SqlResultSet } from '@prisma/driver-adapter-utils';
import type { SqliteConnection } from './connection.js';
import type { SqliteValue } from './driver.js';
import { resultTypes, toPrismaRows, toSqliteValue } from './values.js';

/** Runs one query on one connection and gives rows in the form of Prisma. Throws errors of the driver. */
export function query(connection: SqliteConnection, { sql, args, argTypes }: SqlQuery): SqlResultSet {
  const prepared = connection.prepare(sql);
  const rows = prepared.statement.all(...bind(args, argTypes));
  return {
    columnNames: prepared.columnNames,
    columnTypes: resultTypes(prepared.columnTypes, rows),
    rows: toPrismaRows(rows),
  };
}

/** Runs one statement and gives the number of rows it changed. Throws errors of the driver. */
export function execute(connection: SqliteConnection, { sql, args, argTypes }: SqlQuery): number {
  return connection.run(sql, bind(args, argTypes));
}

function bind(args: SqlQuery['args'], argTypes: SqlQuery['argTypes']): SqliteValue[] {
  return args.map((value, index) => toSqliteValue(value, argTypes[index]));
}
