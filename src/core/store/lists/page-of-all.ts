import { invalidParam } from '../../base/errors/api-error.js';
import type { Page, PageRequest } from './keyset-page.js';

/** A page of rows that are all at hand, sorted by a falling number. Throws 400 for a text that is no cursor. */
export function pageOfAll<Row>(
  rows: readonly Row[],
  { direction, size, cursor }: PageRequest,
  numberOf: (row: Row) => number,
): Page<Row> {
  const position = cursor === null ? null : readNumber(cursor);
  const isForward = direction === 'forward';
  const rest = rows.filter(
    (row) => position === null || (isForward ? numberOf(row) < position : numberOf(row) > position),
  );
  const found = isForward ? rest.slice(0, size) : rest.slice(-size);
  const edges = found.map((row) => ({ cursor: writeNumber(numberOf(row)), row }));
  const goesOn = rest.length > size;
  return {
    rows: edges,
    hasNextPage: isForward ? goesOn : position !== null,
    hasPreviousPage: isForward ? position !== null : goesOn,
    startCursor: edges.at(0)?.cursor ?? null,
    endCursor: edges.at(-1)?.cursor ?? null,
  };
}

function writeNumber(value: number): string {
  return Buffer.from(String(value)).toString('base64url');
}

function readNumber(cursor: string): number {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  if (!/^\d{1,15}$/.test(text)) throw invalidParam('The cursor cannot be read; start from the first page');
  return Number(text);
}
