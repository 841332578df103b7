import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { openDatabase, type Database } from '../../../../src/core/store/db.js';
import { findPage } from '../../../../src/core/store/lists/keyset-page.js';
import type { KeysetListing } from '../../../../src/core/store/lists/keyset-walk.js';
import { countLists, findFirstPages } from '../../../../src/core/store/lists/many-lists.js';
import { sql } from '../../../../src/core/store/sql/sql.js';
import { createLogger } from '../../../../src/core/base/logger.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../../../support/store/databases.js';

const FETCHES = 12;

/** Fetches of a server, newest first; of one outcome when it is given. */
function fetches(serverName: string, outcome: string | null): KeysetListing {
  return {
    table: 'key_fetch',
    columns: ['outcome'],
    sort: { column: 'id', kind: 'integer', nullable: false, direction: 'desc' },
    key: { column: 'id', kind: 'integer' },
    indexed: [sql`server_name = ${serverName}`],
    residual: outcome === null ? [] : [sql`outcome = ${outcome}`],
  };
}

describe.each(testEngines())('several lists at once on %s', (engine) => {
  let files: TestDatabase;
  let database: Database;
  const lists = [fetches('a.example', 'failed'), fetches('b.example', null), fetches('b.example', 'failed')];

  beforeAll(async () => {
    files = await createTestDatabase(engine);
    database = await openDatabase(files.options, createLogger({ level: 'silent' }));
    // The two oldest of a.example failed, every second one of b.example.
    const rows = Array.from({ length: FETCHES }, (_, index) => [
      fetchRow('a.example', index < 2 ? 'failed' : 'ok'),
      fetchRow('b.example', index % 2 === 0 ? 'failed' : 'ok'),
    ]);
    await database.client.keyFetch.createMany({ data: rows.flat() });
  });

  afterAll(async () => {
    await database.close();
    await files.cleanup();
  });

  const fetchRow = (serverName: string, outcome: string) => ({
    serverName,
    startedTs: 1n,
    durationMs: 1,
    outcome,
    cause: 'query',
    steps: [],
  });

  it('have their first pages and numbers, with conditions no index serves, too', async () => {
    const pages = await findFirstPages(database, lists, { size: 2 });
    expect(pages.map(({ rows, hasNextPage }) => [rows.length, hasNextPage])).toEqual([
      [2, false],
      [2, true],
      [2, true],
    ]);
    for (const [index, list] of lists.entries()) {
      const alone = await findPage(database, list, { direction: 'forward', size: 2, cursor: null });
      expect(pages[index]?.rows.map(({ cursor }) => cursor)).toEqual(alone.rows.map(({ cursor }) => cursor));
    }
    expect(await countLists(database, lists)).toEqual([
      { count: 2, exact: true },
      { count: 12, exact: true },
      { count: 6, exact: true },
    ]);
  });

  it('end a search after so many rows; the cursor goes on from there, and the number says "at least"', async () => {
    const [page] = await findFirstPages(database, lists, { size: 2, lookedAt: 10 });
    expect(page).toMatchObject({ rows: [], hasNextPage: true, startCursor: null });

    const next = await findPage(database, fetches('a.example', 'failed'), {
      direction: 'forward',
      size: 5,
      cursor: page?.endCursor ?? null,
    });
    expect(next.rows).toHaveLength(2);
    expect(next.hasNextPage).toBe(false);
    const counts = await countLists(database, lists, 10);
    expect(counts.map(({ exact }) => exact)).toEqual([false, true, false]);
  });
});
