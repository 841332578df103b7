import { describe, expect, it } from 'vitest';

import { createLogger } from '../../../src/core/base/logger.js';
import { PublishedLog } from '../../../src/core/notary/log/published-log.js';
import { SigningKeyStore } from '../../../src/core/notary/own-keys/signing-key-store.js';
import { findServerName, keepServerName } from '../../../src/core/store/database-identity.js';
import { openDatabase } from '../../../src/core/store/db.js';
import { ManualClock } from '../../support/manual-clock.js';
import { createTestDatabase, testEngines } from '../../support/store/databases.js';
import { LOG_KEY } from '../../support/store/test-log.js';

const INSTANCES = 12;

describe.each(testEngines())('instances that start together on an empty database, on %s', (engine) => {
  it('agree on the log, the name and the keys, and none of them fails', async () => {
    const place = await createTestDatabase(engine);
    const logger = createLogger({ level: 'silent' });
    const database = await openDatabase(place.options, logger);
    const keys = new SigningKeyStore(database);
    const row = {
      keyId: 'ed25519:a',
      publicKey: 'A',
      firstSeenTs: 1,
      retiredTs: null,
      state: 'active',
    } as const;
    const start = async (at: number): Promise<void> => {
      await PublishedLog.open({ database, clock: new ManualClock(at), logger, key: LOG_KEY, cacheBytes: 1 });
      await keepServerName(database, `name-${at}.example`);
      await keys.save([row]);
    };
    await Promise.all(Array.from({ length: INSTANCES }, (_, at) => start(at)));

    expect(await database.client.logState.count()).toBe(1);
    expect(await findServerName(database)).toMatch(/^name-\d+\.example$/);
    expect(await keys.list()).toHaveLength(1);
    await database.close();
    await place.cleanup();
  });
});
