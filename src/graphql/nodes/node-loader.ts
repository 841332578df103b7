import type { BatchLookup, GraphqlContext } from '../context.js';
import type { Role } from '../../core/access/operators/viewer.js';
import { rowOfKey } from './node-id.js';
import type { Node } from './node.type.js';

/** How `node(id)` finds objects of one type. Listed in `node-loaders.ts`. */
export interface NodeLoader {
  /** Name of the type in the schema. */
  typeName: string;
  /** Lowest role that may see it; for others there is nothing. */
  requires: Role;
  /** Objects by the keys in their ids, which are untrusted. */
  load: BatchLookup<string, Node>;
}

/** Finds rows by their numbers in ids, all of them together; a key without a row is null. */
export function loadRows<Row extends { id: number }, Item>(
  find: (ids: readonly number[], context: GraphqlContext) => Promise<readonly Row[]>,
  toItem: (row: Row, context: GraphqlContext) => Item,
): BatchLookup<string, Item> {
  return async (keys, context) => {
    const ids = keys.map(rowOfKey);
    const rows = await find([...new Set(ids.filter((id) => id !== null))], context);
    const found = new Map(rows.map((row) => [row.id, toItem(row, context)]));
    return ids.map((id) => (id === null ? null : (found.get(id) ?? null)));
  };
}
