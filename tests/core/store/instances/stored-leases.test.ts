import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { systemClock } from '../../../../src/core/base/clock.js';
import { createLogger } from '../../../../src/core/base/logger.js';
import { openDatabase, type Database } from '../../../../src/core/store/db.js';
import { StoredLeases } from '../../../../src/core/store/instances/stored-leases.js';
import { sql, type Sql } from '../../../../src/core/store/sql/sql.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../../../support/store/databases.js';

const logger = createLogger({ level: 'silent' });

describe.each(testEngines())('leases of work on %s', (engine) => {
  let stored: TestDatabase;
  let database: Database;
  beforeEach(async () => {
    stored = await createTestDatabase(engine);
    database = await openDatabase(stored.options, logger);
  });
  afterEach(async () => {
    await database.close();
    await stored.cleanup();
  });

  it('whoever asks again while an end is being written is not told what was come to here', async () => {
    let afterQuery = async (): Promise<void> => undefined;
    const plain = Object.assign(Object.create(database.plain) as Database['plain'], {
      query: async (statement: Sql) => {
        const rows = await database.plain.query(statement);
        await afterQuery();
        return rows;
      },
    });
    const leases = new StoredLeases({ database: { engine, plain }, clock: systemClock, logger });
    const first = await leases.begin('work');
    if (first.told !== null) throw new Error('it was taken');
    const outcome = sql`SELECT outcome FROM work_lease WHERE outcome IS NOT NULL`;
    afterQuery = async () => {
      afterQuery = async () => undefined;
      first.end({ text: '{}', lifetimeMs: 60_000 });
      await expect.poll(() => database.plain.query(outcome)).toHaveLength(1);
    };

    expect(await leases.begin('work')).toMatchObject({ told: null });
    await leases.close();
  });
});
