import { newestFirst, readCursor, writeCursor } from './keyset-cursor.js';
import type { Page, PageRequest } from './keyset-page.js';

/** Rows that are all at hand. */
export interface WholeList<Row> {
  /** Cursors hold for it alone. */
  name: string;
  /** By which they are sorted, the greatest first. */
  numberOf: (row: Row) => number;
}

/** A page of rows in their order. Throws 400 for a text that is not a cursor of this list. */
export function pageOfAll<Row>(
  rows: readonly Row[],
  { direction, size, cursor }: PageRequest,
  { name, numberOf }: WholeList<Row>,
): Page<Row> {
  const order = { ...newestFirst('media'), model: name };
  const cursorOf = (row: Row): string => {
    const key = BigInt(numberOf(row));
    return writeCursor(order, { sort: key, key });
  };
  const position = cursor === null ? null : Number(readCursor(order, cursor).key);
  const isForward = direction === 'forward';
  const rest = rows.filter(
    (row) => position === null || (isForward ? numberOf(row) < position : numberOf(row) > position),
  );
  const found = isForward ? rest.slice(0, size) : rest.slice(-size);
  const edges = found.map((row) => ({ cursor: cursorOf(row), row }));
  const goesOn = rest.length > size;
  return {
    rows: edges,
    hasNextPage: isForward ? goesOn : position !== null,
    hasPreviousPage: isForward ? position !== null : goesOn,
    startCursor: edges.at(0)?.cursor ?? null,
    endCursor: edges.at(-1)?.cursor ?? null,
  };
}
