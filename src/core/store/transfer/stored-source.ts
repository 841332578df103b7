import type { RowSource, RowStore, SourceTable } from './row-store.js';
import { inOrder } from './table.js';

/** A database as a source of rows. */
export async function sourceOf(store: RowStore, migrations: readonly string[]): Promise<RowSource> {
  const tables = inOrder(store.tables);
  let rowCount = 0;
  for (const table of tables) rowCount += await store.count(table);
  return {
    rowCount,
    migrations,
    async *tables(): AsyncGenerator<SourceTable> {
      for (const table of tables) {
        yield {
          name: table.name,
          columnNames: table.columns.map(({ name }) => name),
          lastKey: await store.lastKey(table),
          pages: () => store.pages(table),
        };
      }
    },
  };
}
