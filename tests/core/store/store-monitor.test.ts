import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { Lifecycle } from '../../../src/core/base/lifecycle.js';
import { createLogger } from '../../../src/core/base/logger.js';
import { openDatabase, type Database } from '../../../src/core/store/db.js';
import { StoreMonitor } from '../../../src/core/store/store-monitor.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../../support/store/databases.js';

/** Longer than a store may be silent. */
const BUSY_MS = 900;

describe.each(testEngines())('a look at the store on %s', (engine) => {
  let files: TestDatabase;
  let database: Database;
  let monitor: StoreMonitor;
  const lifecycle = new Lifecycle();

  beforeAll(async () => {
    files = await createTestDatabase(engine);
    const logger = createLogger({ level: 'silent' });
    database = await openDatabase(files.options, logger);
    await database.ping();
    const options = { database, databaseOptions: files.options, lifecycle, logger };
    monitor = new StoreMonitor({ ...options, intervalMs: 60_000, freshMs: 0 });
    monitor.start();
    lifecycle.set('ready');
  });
  afterAll(async () => {
    await monitor.stop();
    await database.close();
    await files.cleanup();
  });

  it('does not take for silence what this process was too busy to hear', async () => {
    const look = monitor.check();
    // What asks has been written before the process is busy.
    await new Promise((resolve) => setImmediate(resolve));
    const endTs = Date.now() + BUSY_MS;
    while (Date.now() < endTs);
    await look;

    expect(lifecycle.phase).toBe('ready');
  });
});
