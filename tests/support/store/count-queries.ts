import { vi } from 'vitest';

import { SqliteConnection } from '../../../src/core/store/sqlite/connection.js';

/** The looks that a service has now and then: whether the store is there, and what waits for the log. */
const OWN_LOOKS = /sqlite_schema|log_state/;

/** Runs some work and gives the SQL of every query that SQLite was asked meanwhile, in order; writes are left out. */
export async function queriesOf(work: () => Promise<unknown>): Promise<string[]> {
  const prepare = vi.spyOn(SqliteConnection.prototype, 'prepare');
  try {
    await work();
    const statements = prepare.mock.calls.map(([sql]) => sql);
    return statements.filter((sql) => sql.startsWith('SELECT') && !OWN_LOOKS.test(sql));
  } finally {
    prepare.mockRestore();
  }
}
