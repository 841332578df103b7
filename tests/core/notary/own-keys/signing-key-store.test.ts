import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { SigningKeyStore } from '../../../../src/core/notary/own-keys/signing-key-store.js';
import { openDatabase, type Database } from '../../../../src/core/store/db.js';
import { createLogger } from '../../../../src/core/base/logger.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../../../support/store/databases.js';

const NAME = 'notary.test';
const recordOf = (keySet: string, createdTs: number) => ({
  published: Buffer.from(`${keySet} ${createdTs}`),
  createdTs,
  validUntilTs: createdTs + 1000,
  keySet,
});

describe.each(testEngines())('our own record, on %s', (engine) => {
  let place: TestDatabase;
  let instances: Database[];
  beforeAll(async () => {
    place = await createTestDatabase(engine);
    const logger = createLogger({ level: 'silent' });
    instances = await Promise.all([1, 2, 3].map(() => openDatabase(place.options, logger)));
  });
  afterAll(async () => {
    await Promise.all(instances.map((database) => database.close()));
    await place.cleanup();
  });

  it('is of whichever instance was first, and another one for other keys', async () => {
    const stores = instances.map((database) => new SigningKeyStore(database));
    for (const keySet of ['a', 'b']) {
      const kept = await Promise.all(
        stores.map((store, at) => store.keepOwnRecord(NAME, recordOf(keySet, at + 1))),
      );
      const stored = await stores[0]?.findOwnRecord(NAME);
      expect(stored?.keySet).toBe(keySet);
      expect(kept).toEqual([stored, stored, stored]);
    }
  });
});
