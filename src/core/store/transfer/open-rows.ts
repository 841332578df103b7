import type { DatabaseOptions } from '../db.js';
import type { RowStore } from './row-store.js';

/** `snapshot`: all reads see the database as it is now, whatever others write meanwhile. */
export async function openRows(options: DatabaseOptions, use: 'snapshot' | 'write'): Promise<RowStore> {
  if (options.engine === 'sqlite') {
    const { SqliteRows } = await import('./sqlite-rows.js');
    return SqliteRows.open(options.path, use);
  }
  const { PostgresqlRows } = await import('./postgresql-rows.js');
  return PostgresqlRows.open(options.url, use);
}
