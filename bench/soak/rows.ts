import type { DatabaseOptions } from '../../src/core/store/db.js';
import { openRows } from '../../src/core/store/transfer/open-rows.js';
import type { RowStore } from '../../src/core/store/transfer/row-store.js';
import type { Table } from '../../src/core/store/transfer/table.js';

/** Rows by table, and the number of the last message among instances. */
export interface Counted {
  rows: Record<string, number>;
  messages: number;
}

/** Counted beside the server; `null` while the database cannot be read. */
export async function countRows(database: DatabaseOptions): Promise<Counted | null> {
  try {
    const store = await openRows(database, 'snapshot');
    try {
      const rows: Record<string, number> = {};
      let messages = 0;
      for (const table of store.tables) {
        rows[table.name] = await store.count(table);
        if (table.name === 'instance_message') messages = await lastNumber(store, table);
      }
      return { rows, messages };
    } finally {
      await store.close();
    }
  } catch {
    return null;
  }
}

/** Those that are pruned are counted on from. */
async function lastNumber(store: RowStore, table: Table): Promise<number> {
  const place = table.columns.findIndex(({ name }) => name === 'seq');
  let last = 0;
  for await (const rows of store.pages(table)) last = Number(rows.at(-1)?.[place] ?? last);
  return last;
}
