import { ColumnTypeEnum, type ArgType, type ColumnType } from '@prisma/driver-adapter-utils';

import type { SqliteValue } from './driver.js';

/** Query argument of Prisma as a value for the driver. Integers go as bigint, so that none becomes a float. */
export function toSqliteValue(value: unknown, type: ArgType | undefined): SqliteValue {
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
export function toPrismaValue(value: SqliteValue): SqliteValue {
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

export function declaredType(declaration: string | null): ColumnType | null {
  return TYPES.get(declaration?.toUpperCase() ?? '') ?? null;
}

/** The type of a column by its first value that is not NULL. */
export function inferredType(rows: readonly SqliteValue[][], index: number): ColumnType {
  const value = rows.find((row) => row[index] !== null)?.[index];
  if (typeof value === 'bigint') return ColumnTypeEnum.Int64;
  if (typeof value === 'number') return ColumnTypeEnum.Double;
  if (value instanceof Uint8Array) return ColumnTypeEnum.Bytes;
  return value === undefined ? ColumnTypeEnum.Int32 : ColumnTypeEnum.Text;
}
