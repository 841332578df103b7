import { ColumnTypeEnum, type ArgType, type ColumnType } from '@prisma/driver-adapter-utils';
import type { SqliteColumn, SqliteValue } from './driver.js';

/** Query argument of Prisma as a value for the driver. Integers go as bigint, so that none becomes a float. */
export function toSqliteValue(value: unknown, type: ArgType | undefined): SqliteValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return value;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'string') return fromText(value, type);
  if (typeof value === 'number') return isFloat(type) || !Number.isInteger(value) ? value : BigInt(value);
  return fromObject(value);
}

function isFloat(type: ArgType | undefined): boolean {
  return type?.scalarType === 'float' || type?.scalarType === 'decimal';
}

function fromText(value: string, type: ArgType | undefined): SqliteValue {
  const scalar = type?.scalarType;
  if (scalar === 'int' || scalar === 'bigint') return BigInt(value);
  if (isFloat(type)) return Number(value);
  if (scalar === 'bytes') return Buffer.from(value, 'base64');
  if (scalar === 'datetime') return fromObject(new Date(value));
  return value;
}

function fromObject(value: unknown): SqliteValue {
  if (value instanceof Date) return value.toISOString().replace('Z', '+00:00');
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  throw new TypeError('This value cannot be stored in SQLite');
}

/** Prisma's type for each result column; null where only the values can tell (expressions). */
export function declaredTypes(columns: readonly SqliteColumn[]): (ColumnType | null)[] {
  return columns.map((column) => (column.type === null ? null : declaredType(column.type)));
}

function declaredType(declaration: string): ColumnType | null {
  const [name = ''] = declaration.split('(', 1);
  switch (name.trim().toUpperCase()) {
    case 'INTEGER':
    case 'INT':
      return ColumnTypeEnum.Int32;
    case 'BIGINT':
      return ColumnTypeEnum.Int64;
    case 'TEXT':
    case 'VARCHAR':
      return ColumnTypeEnum.Text;
    case 'BLOB':
      return ColumnTypeEnum.Bytes;
    case 'REAL':
    case 'DOUBLE':
    case 'FLOAT':
      return ColumnTypeEnum.Double;
    case 'DECIMAL':
      return ColumnTypeEnum.Numeric;
    case 'BOOLEAN':
      return ColumnTypeEnum.Boolean;
    case 'DATETIME':
      return ColumnTypeEnum.DateTime;
    case 'JSONB':
      return ColumnTypeEnum.Json;
    default:
      return null;
  }
}

/** Fills the gaps of `declaredTypes` from the first value that is not NULL in each such column. */
export function resultTypes(
  declared: readonly (ColumnType | null)[],
  rows: readonly SqliteValue[][],
): ColumnType[] {
  return declared.map((type, index) => type ?? inferType(rows, index));
}

function inferType(rows: readonly SqliteValue[][], index: number): ColumnType {
  const row = rows.find((candidate) => candidate[index] !== null);
  const value = row?.[index];
  if (typeof value === 'bigint') return ColumnTypeEnum.Int64;
  if (typeof value === 'number') return ColumnTypeEnum.Double;
  if (value instanceof Uint8Array) return ColumnTypeEnum.Bytes;
  return row === undefined ? ColumnTypeEnum.Int32 : ColumnTypeEnum.Text;
}

/** Integers become numbers where that is exact and decimal text otherwise. Changes the rows in place. */
export function toPrismaRows(rows: SqliteValue[][]): SqliteValue[][] {
  for (const row of rows) {
    for (let index = 0; index < row.length; index += 1) {
      const value = row[index];
      if (typeof value === 'bigint') row[index] = exactNumber(value);
    }
  }
  return rows;
}

function exactNumber(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}
