import type { DatabaseOptions } from '../db.js';
import { tellingStoreErrors } from '../store-error-causes.js';
import type { RowStore } from './row-store.js';

/** `snapshot`: all reads see the database as it is now, whatever others write meanwhile. */
export async function openRows(options: DatabaseOptions, use: 'snapshot' | 'write'): Promise<RowStore> {
  return tellingErrors(options, await tellingStoreErrors(options, () => openDriver(options, use)));
}

async function openDriver(options: DatabaseOptions, use: 'snapshot' | 'write'): Promise<RowStore> {
  if (options.engine === 'sqlite') {
    const { SqliteRows } = await import('./sqlite-rows.js');
    return SqliteRows.open(options.path, use);
  }
  const { PostgresqlRows } = await import('./postgresql-rows.js');
  return PostgresqlRows.open(options.url, use);
}

/** Of two databases each error has to name its own. */
function tellingErrors(options: DatabaseOptions, rows: RowStore): RowStore {
  const telling = <T>(work: () => Promise<T>): Promise<T> => tellingStoreErrors(options, work);
  return {
    tables: rows.tables,
    count: (table) => telling(() => rows.count(table)),
    async *pages(table) {
      const pages = rows.pages(table);
      for (;;) {
        const page = await telling(() => pages.next());
        if (page.done === true) return;
        yield page.value;
      }
    },
    find: (table, keys) => telling(() => rows.find(table, keys)),
    insert: (table, some) => telling(() => rows.insert(table, some)),
    lastKey: (table) => telling(() => rows.lastKey(table)),
    setLastKey: (table, key) => telling(() => rows.setLastKey(table, key)),
    execute: (sql) => telling(() => rows.execute(sql)),
    close: () => rows.close(),
  };
}
