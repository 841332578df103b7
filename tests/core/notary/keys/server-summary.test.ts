import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { openDatabase, type Database } from '../../../../src/core/store/db.js';
import { acceptKeyRecord } from '../../../../src/core/notary/key-record/key-record.js';
import { unknownHealth } from '../../../../src/core/notary/keys/fetch-store.js';
import { outcomeWriter } from '../../../support/store/outcome-writer.js';
import { createLogger } from '../../../../src/core/base/logger.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../../../support/store/databases.js';
import { makeKeyRecord } from '../../../support/origins/key-record-maker.js';
import { K1, K2 } from '../../../support/origins/record-recipes.js';

const POLICY = { requireAllKeysSigned: false, bannedPublicKeys: new Set<string>(), maxKeys: 1000 };

describe.each(testEngines())('the row of a server, on %s', (engine) => {
  let place: TestDatabase;
  let database: Database;
  let writer: ReturnType<typeof outcomeWriter>;

  beforeAll(async () => {
    place = await createTestDatabase(engine);
    database = await openDatabase(place.options, createLogger({ level: 'silent' }));
    writer = outcomeWriter(database);
  });
  afterAll(async () => {
    await database.close();
    await place.cleanup();
  });

  const base = {
    durationMs: 5,
    outcome: 'ok',
    reason: null,
    message: null,
    cause: 'query',
    steps: [],
  } as const;
  const store = (serverName: string, startedTs: number, validUntilTs: number | bigint, keys = [K1]) => {
    const published = makeKeyRecord({ serverName, keys, validUntilTs });
    const record = acceptKeyRecord(published, serverName, POLICY);
    return writer.write({
      entry: { ...base, serverName, startedTs },
      health: { ...unknownHealth(startedTs), lastOkTs: startedTs },
      fetched: { record, published, fetchedTs: startedTs },
      events: [],
    });
  };
  const fail = (serverName: string, startedTs: number) =>
    writer.write({
      entry: { ...base, serverName, startedTs, outcome: 'failed' },
      health: { ...unknownHealth(startedTs), failCount: 1 },
      fetched: null,
      events: [],
    });
  const rowOf = async (serverName: string) => {
    const row = await database.client.remoteServer.findUniqueOrThrow({ where: { serverName } });
    return [row.addedTs, row.validUntilTs, row.dueTs, row.keyCount];
  };

  it('repeats the times of the newest record and counts every key ID that is answered', async () => {
    await store('a.example', 1000, 9000);
    expect(await rowOf('a.example')).toEqual([1000n, 9000n, 5000n, 1]);

    await store('a.example', 2000, 8001, [K2]);

    expect(await rowOf('a.example')).toEqual([2000n, 8001n, 5000n, 2]);
  });

  it('is kept when a fetch fails', async () => {
    await store('b.example', 1000, 9000);
    await fail('b.example', 2000);
    await fail('never.example', 2000);

    expect(await rowOf('b.example')).toEqual([1000n, 9000n, 5000n, 1]);
    expect(await rowOf('never.example')).toEqual([null, null, null, 0]);
  });
});
