import { vi } from 'vitest';

import { SqliteConnection } from '../../src/core/db/sqlite/connection.js';

/** Runs some work and gives the SQL of every statement that SQLite was asked for meanwhile, in order. */
export async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const prepare = vi.spyOn(SqliteConnection.prototype, 'prepare');
  try {
    await work();
    return prepare.mock.calls.map(([sql]) => sql);
  } finally {
    prepare.mockRestore();
  }
}
