import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { inTransaction, openDatabase, type Database } from '../../../../src/core/store/db.js';
import { SqliteConnection } from '../../../../src/core/store/sqlite/connection.js';
import { acceptKeyRecord } from '../../../../src/core/notary/key-record/key-record.js';
import { recordFinder } from '../../../../src/core/notary/keys/key-store.js';
import { saveRecords } from '../../../../src/core/notary/keys/saving/record-rows.js';
import { createLogger } from '../../../../src/core/base/logger.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../../../support/store/databases.js';
import { makeKeyRecord, type TestKey } from '../../../support/origins/key-record-maker.js';
import { K1, K2, copies } from '../../../support/origins/record-recipes.js';
import { turnsWhile } from '../../../support/turns.js';

const logger = createLogger({ level: 'silent' });
const POLICY = { requireAllKeysSigned: false, bannedPublicKeys: new Set<string>(), maxKeys: 1000 };
const SERVER_NAME = 'many.example';
const MAX_BYTES = 1024 * 1024;

describe.each(testEngines())('a record of 1,000 keys, on %s', (engine) => {
  let place: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    place = await createTestDatabase(engine);
    database = await openDatabase(place.options, logger);
  });
  afterAll(async () => {
    await database.close();
    await place.cleanup();
  });

  /** Stores the record; how many turns the event loop got meanwhile. */
  const turnsGiven = async (publicKey: string, fetchedTs: number) => {
    const many = copies(999).map(([keyId]): TestKey => ({ keyId, publicKey, privateKey: K1.privateKey }));
    const options = { serverName: SERVER_NAME, keys: [K1, ...many], signWith: [K1], validUntilTs: fetchedTs };
    const published = makeKeyRecord(options);
    const fetched = { record: acceptKeyRecord(published, SERVER_NAME, POLICY), published, fetchedTs };
    const work = () => inTransaction(database, (open) => saveRecords(open, [fetched]));
    return (await turnsWhile(work)).turns;
  };

  it('is stored without holding up the event loop, new or with all keys replaced', async () => {
    // 1,000 rows of keys and 1,000 of events, 50 at a time; on a busy machine few turns get a go in between.
    expect(await turnsGiven(K1.publicKey, 1000)).toBeGreaterThan(2);
    expect(await database.client.verifyKey.count()).toBe(1000);
    expect(await database.client.keyEvent.count({ where: { kind: 'key_added' } })).toBe(1000);
    expect(await turnsGiven(K2.publicKey, 2000)).toBeGreaterThan(2);
    expect(await database.client.verifyKey.count({ where: { publicKey: K2.publicKey } })).toBe(999);
    expect(await database.client.keyEvent.count({ where: { kind: 'key_replaced' } })).toBe(999);
  });
});

describe.each(testEngines())('an origin that renames its key with every record, on %s', (engine) => {
  it('keeps its 64 newest records answerable, and all of them in the history', async () => {
    const place = await createTestDatabase(engine);
    const database = await openDatabase(place.options, logger);
    const save = (version: number, fetchedTs = 1000 + version) => {
      const key = { ...K1, keyId: `ed25519:v${version}` };
      const options = { serverName: SERVER_NAME, keys: [key], validUntilTs: 9_000_000 };
      const published = makeKeyRecord(options);
      const record = acceptKeyRecord(published, SERVER_NAME, POLICY);
      const fetched = [{ record, published, fetchedTs }];
      return inTransaction(database, async (open) => (await saveRecords(open, fetched)).get(SERVER_NAME));
    };
    for (let version = 0; version < 70; version += 1) await save(version);

    const records = (await recordFinder(database, logger)([SERVER_NAME], MAX_BYTES))?.get(SERVER_NAME) ?? [];
    const expected = Array.from({ length: 64 }, (_, index) => [`ed25519:v${index + 6}`]);
    expect(records.map((record) => record.keyIds)).toEqual(expected);
    expect(await database.client.keyRecord.count()).toBe(70);
    await save(0, 2000);
    // Look-ups at the same time are one statement.
    const find = recordFinder(database, logger);
    const prepare = vi.spyOn(SqliteConnection.prototype, 'prepare');
    const names = [SERVER_NAME, ...Array.from({ length: 60 }, (_, at) => `n${at}.example`), SERVER_NAME];
    const found = await Promise.all(names.map((name) => find([name], MAX_BYTES)));
    const newest = found.map((records, at) => records?.get(names[at] ?? '')?.at(-1)?.keyIds[0]);
    expect(newest).toEqual(['ed25519:v0', ...Array.from({ length: 60 }), 'ed25519:v0']);
    expect(prepare.mock.calls.length).toBeLessThanOrEqual(1);
    prepare.mockRestore();
    // One that is damaged is passed over, and takes no others with it.
    await database.client.keyRecord.updateMany({
      where: { id: { gt: 69 } },
      data: { published: Buffer.from('{') },
    });
    expect((await find([SERVER_NAME], MAX_BYTES))?.get(SERVER_NAME)).toHaveLength(63);
    await database.close();
    await place.cleanup();
  });

  it('cannot push out a key that was in use for longer', async () => {
    const place = await createTestDatabase(engine);
    const database = await openDatabase(place.options, logger);
    const save = (version: string, fetchedTs: number) => {
      const key = { ...K1, keyId: `ed25519:${version}` };
      const published = makeKeyRecord({ serverName: SERVER_NAME, keys: [key], validUntilTs: 9_000_000 });
      const record = acceptKeyRecord(published, SERVER_NAME, POLICY);
      const fetched = [{ record, published, fetchedTs }];
      return inTransaction(database, async (open) => (await saveRecords(open, fetched)).get(SERVER_NAME));
    };
    await save('honest', 1000);
    await save('honest', 5000);

    for (let version = 0; version < 80; version += 1) await save(`v${version}`, 6000 + version);

    const records = (await recordFinder(database, logger)([SERVER_NAME], MAX_BYTES))?.get(SERVER_NAME) ?? [];
    expect(records).toHaveLength(64);
    expect(records[0]?.keyIds).toEqual(['ed25519:honest']);
    await database.close();
    await place.cleanup();
  });
});

describe.each(testEngines())('a fetch after the clock was set back, on %s', (engine) => {
  it('is the newest, and what was seen before lies before it', async () => {
    const place = await createTestDatabase(engine);
    const database = await openDatabase(place.options, logger);
    const save = (validUntilTs: number, fetchedTs: number) => {
      const published = makeKeyRecord({ serverName: SERVER_NAME, keys: [K1], validUntilTs });
      const record = acceptKeyRecord(published, SERVER_NAME, POLICY);
      const fetched = [{ record, published, fetchedTs }];
      return inTransaction(database, async (open) => (await saveRecords(open, fetched)).get(SERVER_NAME));
    };
    await save(90_000_000, 86_400_000);

    const fetched = await save(8_000_000, 50_000);

    const records = (await recordFinder(database, logger)([SERVER_NAME], MAX_BYTES))?.get(SERVER_NAME) ?? [];
    expect(records.map(({ id }) => id)).toEqual([fetched?.recordId]);
    const rows = await database.client.keyRecord.findMany({ orderBy: { id: 'asc' } });
    expect(rows.map(({ firstSeenTs, lastSeenTs }) => [firstSeenTs, lastSeenTs])).toEqual([
      [49_999n, 49_999n],
      [50_000n, 50_000n],
    ]);
    await database.close();
    await place.cleanup();
  });
});
