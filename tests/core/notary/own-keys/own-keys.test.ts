import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { HOUR_MS, SECOND_MS } from '../../../../src/core/base/clock.js';
import { createLogger } from '../../../../src/core/base/logger.js';
import { OwnKeys } from '../../../../src/core/notary/own-keys/own-keys.js';
import { NOT_SHARED, OwnName } from '../../../../src/core/notary/own-keys/own-name.js';
import { SigningKeyStore } from '../../../../src/core/notary/own-keys/signing-key-store.js';
import { SigningKey } from '../../../../src/core/notary/signing/signer.js';
import { openDatabase, type Database } from '../../../../src/core/store/db.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../../../support/store/databases.js';

const NAME = 'notary.test';
const DAY_MS = 24 * HOUR_MS;
const KEY = new SigningKey('a', Buffer.alloc(32, 1));

interface Instance {
  ownKeys: OwnKeys;
  clock: ManualClock;
  database: Database;
}

describe.each(testEngines())('our own record of several instances, on %s', (engine) => {
  const logger = createLogger({ level: 'silent' });
  let place: TestDatabase;
  let instances: Instance[];
  beforeEach(async () => {
    place = await createTestDatabase(engine);
    instances = [];
  });
  afterEach(async () => {
    await settle();
    await Promise.all(instances.map(({ database }) => database.close()));
    await place.cleanup();
  });

  /** Starts one whose clock is so far ahead of the time the first one started at. */
  const start = async (aheadMs: number): Promise<Instance> => {
    const database = await openDatabase(place.options, logger);
    const clock = new ManualClock();
    clock.advance(aheadMs);
    const ownKeys = await OwnKeys.open({
      serverName: NAME,
      name: new OwnName({
        told: NOT_SHARED,
        ask: async () => NOT_SHARED,
        clockError: () => null,
        logger,
      }),
      activeKeys: [KEY],
      configuredOld: [],
      publishesFormer: true,
      validityMs: DAY_MS,
      store: new SigningKeyStore(database),
      onChanged: async () => undefined,
      clock,
      logger,
    });
    if (ownKeys === null) throw new Error('no record of our own');
    const instance = { ownKeys, clock, database };
    instances.push(instance);
    return instance;
  };
  const settle = () => Promise.all(instances.map(({ ownKeys }) => ownKeys.settle()));
  const advance = (ms: number) => instances.forEach(({ clock }) => clock.advance(ms));
  const published = () => instances.map(({ ownKeys }) => ownKeys.published().toString());
  const validity = () =>
    instances.map(({ ownKeys, clock }) => Number(ownKeys.known().records[0]?.validUntilTs) - clock.now());

  it('is made by each at any time after half of its life in the same bytes, without the store', async () => {
    await start(0);
    await start(0);
    const [before] = published();
    expect(published()).toEqual([before, before]);
    for (const ms of [13 * HOUR_MS, 30 * HOUR_MS + 1, 12 * HOUR_MS]) {
      advance(ms);
      const [renewed] = published();
      instances[1]?.clock.advance(5 * SECOND_MS);
      expect(published()).toEqual([renewed, renewed]);
      expect(renewed).not.toBe(before);
      expect(Math.min(...validity())).toBeGreaterThanOrEqual(DAY_MS / 2);
      expect(Math.max(...validity())).toBeLessThanOrEqual(DAY_MS);
    }
  });
});
