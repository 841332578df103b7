import { invalidParam } from '../../base/errors/api-error.js';

/** Models that have lists. */
export type ListModel =
  | 'accessToken'
  | 'auditEvent'
  | 'blacklistHit'
  | 'jobRun'
  | 'keyEvent'
  | 'keyFetch'
  | 'media'
  | 'newestRecord'
  | 'previewCache'
  | 'remoteServer'
  | 'verifyKey';

/** A field that rows are sorted or identified by. Integers are up to 64 bits wide. */
export interface KeysetField {
  name: string;
  kind: 'integer' | 'text';
}

/** What gives a list its order; a cursor holds for the list and the order it was made for. */
export interface KeysetOrder {
  model: ListModel;
  /** Rows without a value come last, whichever the direction. */
  sort: KeysetField & { nullable: boolean; direction: 'asc' | 'desc' };
  /** Unique and never null. May be the field of `sort`. */
  key: KeysetField;
}

/** The same of rows that are no model's. */
export type CursorOrder = Omit<KeysetOrder, 'model'> & { model: string };

/** Rows by a number that grows, the latest first. */
export function newestFirst(model: ListModel, name = 'id'): KeysetOrder {
  return {
    model,
    sort: { name, kind: 'integer', nullable: false, direction: 'desc' },
    key: { name, kind: 'integer' },
  };
}

/** A position between two rows: just after the row of these values. */
export interface Position {
  sort: string | bigint | null;
  key: string | bigint;
}

const MAX_CURSOR_CHARACTERS = 4000;
const MAX_INTEGER = 2n ** 63n - 1n;

/** A position for the outside: base64url of JSON. */
export function writeCursor(order: CursorOrder, { sort, key }: Position): string {
  const json = JSON.stringify([tagOf(order), sort === null ? null : String(sort), String(key)]);
  return Buffer.from(json, 'utf8').toString('base64url');
}

/**
 * The position of a cursor. Anyone may have written it: throws 400 for a text that is not a cursor, and for one of
 * another list or order.
 */
export function readCursor(order: CursorOrder, cursor: string): Position {
  const parts = cursor.length > MAX_CURSOR_CHARACTERS ? null : parseParts(cursor);
  if (parts === null) throw unreadable();
  const [tag, sort, key] = parts;
  if (tag !== tagOf(order))
    throw invalidParam('The cursor belongs to another list or order; start from the first page');
  if (sort === null && !order.sort.nullable) throw unreadable();
  return { sort: sort === null ? null : readValue(order.sort, sort), key: readValue(order.key, key) };
}

function tagOf({ model, sort }: CursorOrder): string {
  return `${model}.${sort.name}.${sort.direction}`;
}

function parseParts(cursor: string): [string, string | null, string] | null {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
  if (!Array.isArray(parts) || parts.length !== 3) return null;
  const [tag, sort, key] = parts as unknown[];
  if (typeof tag !== 'string' || typeof key !== 'string') return null;
  return sort === null || typeof sort === 'string' ? [tag, sort, key] : null;
}

function readValue({ kind }: KeysetField, text: string): string | bigint {
  if (kind === 'text') {
    // PostgreSQL refuses U+0000 with an error.
    if (text.includes('\0')) throw unreadable();
    return text;
  }
  if (!/^-?\d{1,19}$/.test(text)) throw unreadable();
  const value = BigInt(text);
  if (value > MAX_INTEGER || value < -MAX_INTEGER) throw unreadable();
  return value;
}

function unreadable(): Error {
  return invalidParam('The cursor cannot be read; start from the first page');
}
