import { vi } from 'vitest';

import { SqliteConnection } from '../../../src/core/store/sqlite/connection.js';

/** The look whether the store is there, which a service has now and then. */
const PING = 'sqlite_schema';

/** Runs some work and gives the SQL of every query that SQLite was asked meanwhile, in order; writes are left out. */
export async function queriesOf(work: () => Promise<unknown>): Promise<string[]> {
  const prepare = vi.spyOn(SqliteConnection.prototype, 'prepare');
  try {
    await work();
    const statements = prepare.mock.calls.map(([sql]) => sql);
    return statements.filter((sql) => sql.startsWith('SELECT') && !sql.includes(PING));
  } finally {
    prepare.mockRestore();
  }
}
