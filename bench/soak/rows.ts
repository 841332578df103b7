import type { DatabaseOptions } from '../../src/core/store/db.js';
import { openRows } from '../../src/core/store/transfer/open-rows.js';

/** Rows by table, counted beside the server; `null` while the database cannot be read. */
export async function countRows(database: DatabaseOptions): Promise<Record<string, number> | null> {
  try {
    const store = await openRows(database, 'snapshot');
    try {
      const rows: Record<string, number> = {};
      for (const table of store.tables) rows[table.name] = await store.count(table);
      return rows;
    } finally {
      await store.close();
    }
  } catch {
    return null;
  }
}
