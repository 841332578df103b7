import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { openDatabase, type Database } from '../../../../src/core/store/db.js';
import { deleteKeyRecords } from '../../../../src/core/operators/keys/key-records.js';
import { acceptKeyRecord } from '../../../../src/core/notary/key-record/key-record.js';
import { outcomeWriter } from '../../../support/store/outcome-writer.js';
import { createLogger } from '../../../../src/core/base/logger.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../../../support/store/databases.js';
import { makeKeyRecord } from '../../../support/origins/key-record-maker.js';
import { K1, K2 } from '../../../support/origins/record-recipes.js';

const POLICY = { requireAllKeysSigned: false, bannedPublicKeys: new Set<string>(), maxKeys: 1000 };
const ROUNDS = 20;

describe.each(testEngines())('deleting key records, on %s', (engine) => {
  let place: TestDatabase;
  let database: Database;
  let writer: ReturnType<typeof outcomeWriter>;
  const forgotten: string[] = [];

  beforeAll(async () => {
    place = await createTestDatabase(engine);
    database = await openDatabase(place.options, createLogger({ level: 'silent' }));
    writer = outcomeWriter(database);
  });
  afterAll(async () => {
    await database.close();
    await place.cleanup();
  });

  const store = (serverName: string, startedTs: number, keys = [K1]) => {
    const published = makeKeyRecord({ serverName, keys, validUntilTs: 9_000_000 });
    const record = acceptKeyRecord(published, serverName, POLICY);
    return writer.write({
      entry: {
        serverName,
        startedTs,
        durationMs: 1,
        outcome: 'ok',
        reason: null,
        message: null,
        cause: 'query',
        steps: [],
      },
      health: {
        firstAskedTs: 1,
        lastFetchTs: startedTs,
        lastOkTs: startedTs,
        failCount: 0,
        nextTryTs: 0,
        lastErrorReason: null,
        lastErrorMessage: null,
      },
      fetched: { record, published, fetchedTs: startedTs },
      events: [],
    });
  };
  const recordIds = async (serverName: string) =>
    (await database.client.keyRecord.findMany({ where: { serverName }, orderBy: { id: 'asc' } })).map(
      ({ id }) => id,
    );
  const remove = (names: readonly string[]) =>
    deleteKeyRecords({ database, forget: async (gone) => void forgotten.push(...gone) }, names, {
      ts: 5000,
      actor: '@op:test',
    });

  it('deletes all records of the servers, and puts their rows in line with that', async () => {
    await store('two.example', 1000, [K1]);
    await store('two.example', 2000, [K2]);
    await store('other.example', 2000, [K1]);

    expect(await remove(['two.example', 'none.example'])).toMatchObject({
      records: 2,
      servers: ['two.example'],
    });

    expect(forgotten).toEqual(['two.example']);
    const rows = await database.client.remoteServer.findMany({ orderBy: { serverName: 'desc' } });
    expect(rows.map((row) => [row.serverName, row.keyCount, row.addedTs])).toEqual([
      ['two.example', 0, null],
      ['other.example', 1, 2000n],
    ]);
    const event = await database.client.keyEvent.findFirstOrThrow({ where: { kind: 'record_deleted' } });
    expect(event).toMatchObject({ severity: 'warning', detail: { keys: '1', actor: '@op:test' } });
    expect(await remove(['two.example'])).toEqual({ servers: [], records: 0, freedBytes: 0 });
  });

  it('goes together with fetches that store the same record at the same time', async () => {
    const names = ['race-a.example', 'race-b.example'];
    for (let round = 0; round < ROUNDS; round += 1) {
      await Promise.all([...names.map((name) => store(name, 10_000 + round)), remove(names)]);
    }

    for (const serverName of names) {
      const keys = await database.client.verifyKey.findMany({ where: { serverName } });
      const row = await database.client.remoteServer.findUniqueOrThrow({ where: { serverName } });
      expect(row.keyCount).toBe(keys.length);
      expect(row.addedTs === null).toBe(keys.length === 0);
      expect(await recordIds(serverName)).toEqual(keys.map(({ recordId }) => recordId));
    }
  });
});
