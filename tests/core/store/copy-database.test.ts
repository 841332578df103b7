import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { createLogger } from '../../../src/core/base/logger.js';
import { copyDatabase } from '../../../src/core/store/copy-database.js';
import { openDatabase, type Database } from '../../../src/core/store/db.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../../support/store/databases.js';

const logger = createLogger({ level: 'silent' });
const TIMES = { validUntilTs: 2n ** 60n, firstSeenTs: 1n, lastSeenTs: 2n };

describe.runIf(testEngines().includes('postgresql'))('copying SQLite to PostgreSQL', () => {
  let places: TestDatabase[];
  let source: Database;
  let target: Database;

  beforeEach(async () => {
    places = [await createTestDatabase('sqlite'), await createTestDatabase('postgresql')];
    [source, target] = (await Promise.all(places.map(({ options }) => openDatabase(options, logger)))) as [
      Database,
      Database,
    ];
  });
  afterEach(async () => {
    await Promise.all([source.close(), target.close()]);
    for (const place of places) await place.cleanup();
  });

  it('keeps every value, parents and children, and numbers that were given', async () => {
    const { client } = source;
    const published = Uint8Array.from({ length: 256 }, (_, index) => index);
    for (let each = 0; each < 2500; each += 1)
      await client.$executeRaw`INSERT INTO newest_record (server_name, record_id, from_ts) VALUES (${`s${each}`}, ${each}, 1)`;
    const record = await client.keyRecord.create({
      data: { serverName: 'a', sha256: 'x', published, ...TIMES },
    });
    const key = { serverName: 'a', keyId: 'ed25519:a', recordId: record.id, publicKey: 'k' };
    await client.verifyKey.create({ data: { ...key, firstSeenTs: 1n, lastSeenTs: 2n } });
    const detail = { list: [1, null, 'é😀'], n: 1.5 };
    await client.keyEvent.create({ data: { ts: 1n, serverName: 'a', kind: 'k', severity: 'info', detail } });
    const gone = await client.keyRecord.create({
      data: { serverName: 'b', sha256: 'y', published, ...TIMES },
    });
    await client.keyRecord.delete({ where: { id: gone.id } });

    const rows = await copyDatabase(source, target);

    expect(rows).toBeGreaterThanOrEqual(2503);
    expect(await target.client.newestRecord.count()).toBe(2500);
    expect(await target.client.keyRecord.findMany()).toEqual(await client.keyRecord.findMany());
    expect(await target.client.verifyKey.findMany()).toEqual(await client.verifyKey.findMany());
    expect(await target.client.keyEvent.findMany()).toEqual(await client.keyEvent.findMany());
    const next = await target.client.keyRecord.create({
      data: { serverName: 'c', sha256: 'z', published, ...TIMES },
    });
    expect(next.id).toBe(gone.id + 1);
  });

  it('refuses a target with rows, and leaves nothing when it is interrupted', async () => {
    const server = { serverName: 'a', firstAskedTs: 1n };
    await source.client.remoteServer.create({ data: server });
    await source.client.$executeRaw`INSERT INTO state_value (name, value) VALUES ('last table', '{no JSON')`;
    await expect(copyDatabase(source, target)).rejects.toThrow('JSON');
    expect(await target.client.remoteServer.count()).toBe(0);

    await target.client.remoteServer.create({ data: { ...server, serverName: 'b' } });
    await expect(copyDatabase(source, target)).rejects.toMatchObject({
      reason: 'target_not_empty',
    });
    expect(await target.client.remoteServer.count()).toBe(1);
  });
});
