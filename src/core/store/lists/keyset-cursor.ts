import { z } from 'zod';

import { invalidParam } from '../../base/errors/api-error.js';
import type { Db } from '../db.js';

type ListModel = Exclude<keyof Db, symbol | `$${string}`>;

/** A field that rows are sorted or identified by: an integer of up to 64 bits, or a text. */
export interface KeysetField {
  name: string;
  isText?: boolean;
}

/** What gives a list its order; a cursor holds for the list and the order it was made for. */
export interface KeysetOrder {
  model: ListModel;
  /** Rows without a value come last, whichever the direction. */
  sort: KeysetField & { isNullable?: boolean; direction: 'asc' | 'desc' };
  /** Unique and never null. May be the field of `sort`. */
  key: KeysetField;
}

/** Rows by a number that grows, the latest first. */
export function newestFirst(model: ListModel, name = 'id'): KeysetOrder {
  return { model, sort: { name, direction: 'desc' }, key: { name } };
}

/** A position between two rows: just after the row of these values. */
export interface Position {
  sort: string | number | bigint | null;
  key: string | number | bigint;
}

const MAX_CURSOR_CHARACTERS = 4000;
const PARTS = z.tuple([z.string(), z.string().nullable(), z.string()]);

/** A position for the outside: base64url of JSON. */
export function writeCursor(order: KeysetOrder, { sort, key }: Position): string {
  const json = JSON.stringify([tagOf(order), sort === null ? null : String(sort), String(key)]);
  return Buffer.from(json).toString('base64url');
}

/** The position of a cursor, which anyone may have written: throws 400 unless it is one of this list and order. */
export function readCursor(order: KeysetOrder, cursor: string): Position {
  try {
    const json = Buffer.from(cursor.slice(0, MAX_CURSOR_CHARACTERS), 'base64url').toString();
    const [tag, sort, key] = PARTS.parse(JSON.parse(json));
    if (tag === tagOf(order) && (sort !== null || order.sort.isNullable === true))
      return { sort: sort === null ? null : columnValue(order.sort, sort), key: columnValue(order.key, key) };
  } catch {
    // Answered below.
  }
  throw invalidParam('The cursor does not belong to this list and order; start from the first page');
}

function tagOf({ model, sort }: KeysetOrder): string {
  return `${model}.${sort.name}.${sort.direction}`;
}

/** A value as Prisma takes it, which wants numbers for narrow columns. Throws for what no column holds. */
export function columnValue({ isText }: KeysetField, value: unknown): string | number | bigint {
  const text = String(value);
  if (isText === true) {
    if (!text.includes('\0')) return text;
    // PostgreSQL refuses it.
    throw new RangeError('a text with U+0000');
  }
  const integer = BigInt(text);
  if (BigInt.asIntN(64, integer) !== integer) throw new RangeError('an integer of more than 64 bits');
  return Number.isSafeInteger(Number(integer)) ? Number(integer) : integer;
}
