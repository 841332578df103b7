import { setImmediate } from 'node:timers/promises';

import type { SqlRunner } from './plain-sql.js';
import type { ColumnValue, Sql } from './sql.js';

/** Where rows go. Names and `conflict` become SQL as they are: never untrusted text. */
export interface InsertTarget {
  table: string;
  /** What follows the values, such as `ON CONFLICT … DO UPDATE …`; absent: a conflict is an error. */
  conflict?: string;
}

/** A row by the names of its columns, ours; those of one call have the same ones in the same order. */
export type InsertRow = Readonly<Record<string, ColumnValue>>;

/**
 * Rows of one statement. A statement is written for 1 to 8, 16 or 32 rows only, so that the engines know each one
 * already; it takes the event loop some 0.05 ms a row.
 */
const MAX_ROWS = 32;
const MAX_ODD_ROWS = 8;

/**
 * Inserts rows inside the caller's transaction; resolves as `SqlRunner.write` does. Prisma's `createMany` compiles every
 * call anew, for a multiple of what the writing costs.
 */
export async function insertRows(
  runner: SqlRunner,
  target: InsertTarget,
  rows: readonly InsertRow[],
): Promise<void> {
  for (const piece of pieces(rows)) {
    await runner.write(statement(target, piece));
    if (piece.length === MAX_ROWS) await setImmediate();
  }
}

/** Inserts rows as `insertRows` does, waits for them, and returns the id and the server name of each. */
export async function insertReturning(
  runner: SqlRunner,
  target: InsertTarget,
  rows: readonly InsertRow[],
): Promise<{ id: number; serverName: string }[]> {
  const written: { id: number; serverName: string }[] = [];
  const conflict = `${target.conflict ?? ''} RETURNING id, server_name`;
  for (const piece of pieces(rows)) {
    const inserted = statement({ ...target, conflict }, piece);
    for (const row of await runner.query<{ id: number | string; server_name: string }>(inserted))
      written.push({ id: Number(row.id), serverName: row.server_name });
    if (piece.length === MAX_ROWS) await setImmediate();
  }
  return written;
}

function* pieces<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  let size = MAX_ROWS;
  for (let at = 0; at < rows.length; at += size) {
    const left = rows.length - at;
    if (left <= MAX_ODD_ROWS) size = left;
    while (size > left) size /= 2;
    yield rows.slice(at, at + size);
  }
}

function statement({ table, conflict = '' }: InsertTarget, rows: readonly InsertRow[]): Sql {
  const columns = Object.keys(rows[0] ?? {});
  const strings = [`INSERT INTO ${table} (${columns.join(', ')}) VALUES (`];
  for (let row = 1; row <= rows.length; row += 1) {
    for (let column = 1; column < columns.length; column += 1) strings.push(', ');
    strings.push(row === rows.length ? `) ${conflict}` : '), (');
  }
  return { strings, values: rows.flatMap(Object.values<ColumnValue>) };
}
