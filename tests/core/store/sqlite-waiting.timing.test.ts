import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect, it } from 'vitest';

import { openDatabase } from '../../../src/core/store/db.js';
import { sql } from '../../../src/core/store/sql/sql.js';
import { loadSqliteDriver } from '../../../src/core/store/sqlite/driver.js';
import { createLogger } from '../../../src/core/base/logger.js';
import { createTestDatabase } from '../../support/store/databases.js';

/** Of the time in which a writer waits for another process. */
const MAX_BUSY_SHARE = 0.2;

it('who waits for another writer leaves the event loop to others', async () => {
  const place = await createTestDatabase('sqlite');
  if (place.options.engine !== 'sqlite') throw new Error('wrong engine');
  const database = await openDatabase(place.options, createLogger({ level: 'silent' }));
  const driver = loadSqliteDriver();
  const other = new driver(place.options.path, { timeout: 0 });
  const shares: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    other.exec('BEGIN IMMEDIATE');
    const writing = database.plain.execute(sql`DELETE FROM remote_server`);
    const before = performance.eventLoopUtilization();
    for (let turn = 0; turn < 60; turn += 1) await sleep(5);
    shares.push(performance.eventLoopUtilization(before).utilization);
    other.exec('ROLLBACK');
    expect(await writing).toBe(0);
  }
  other.close();
  await database.close();
  await place.cleanup();

  expect(Math.min(...shares)).toBeLessThan(MAX_BUSY_SHARE);
});
