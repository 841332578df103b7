import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { openDatabase, type Database } from '../../../src/core/store/db.js';
import { isStoreFull, isStoreUnavailable, explainStoreError } from '../../../src/core/store/store-errors.js';
import { createLogger } from '../../../src/core/base/logger.js';
import { createTestDatabase, testEngines } from '../../support/store/databases.js';
import { fillStore, makeRoom } from '../../support/store/full-store.js';

/** More than fits into the pages there are. */
const LONG = 'x'.repeat(60_000);
const row = { name: 'sort', pauseReason: LONG };
type Write = (database: Database) => Promise<unknown>;

const WRITES: readonly [string, Write][] = [
  ['a model', ({ client }) => client.job.create({ data: row })],
  ['a model in a transaction', ({ client }) => client.$transaction((tx) => tx.job.create({ data: row }))],
  [
    'raw SQL of the client',
    ({ client }) => client.$executeRaw`
      INSERT INTO job (name, pause_reason) VALUES ('sort', ${LONG})`,
  ],
];

describe.each(testEngines())('a full disk under the database on %s', (engine) => {
  let database: Database;
  let cleanup: () => Promise<void>;

  beforeEach(async () => {
    const place = await createTestDatabase(engine);
    cleanup = place.cleanup;
    database = await openDatabase(place.options, createLogger({ level: 'silent' }));
    await fillStore(database);
  });
  afterEach(async () => {
    await database.close();
    await cleanup();
  });

  it.each(WRITES)('is told apart from a store that is away: %s', async (_name, write) => {
    const error: unknown = await write(database).catch((reason: unknown) => reason);

    expect([isStoreFull(error), isStoreUnavailable(error)]).toEqual([true, false]);
    expect(explainStoreError(error).error).toBe('The disk of the database is full.');
    expect(await database.client.job.count()).toBe(0);
    await expect(database.ping()).resolves.toBeUndefined();
    await makeRoom(database);
    await write(database);
    expect(await database.client.job.count()).toBe(1);
  });
});
