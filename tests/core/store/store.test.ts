import { readFileSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase, type Database } from '../../../src/core/store/db.js';
import { createLogger } from '../../../src/core/base/logger.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../../support/store/databases.js';

const logger = createLogger({ level: 'silent' });
const MAX_INT64 = 2n ** 63n - 1n;

const server = (serverName: string) => ({
  serverName,
  firstAskedTs: 1n,
});

describe.each(testEngines())('store on %s', (engine) => {
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

  it('returns BigInt, Bytes and null exactly as they were stored', async () => {
    const published = Uint8Array.from({ length: 256 }, (_, index) => index);
    const record = await database.client.keyRecord.create({
      data: {
        serverName: 'types.example',
        sha256: 'a',
        published,
        validUntilTs: MAX_INT64,
        firstSeenTs: 2n ** 53n + 1n,
        lastSeenTs: -1n,
      },
    });
    const read = await database.client.keyRecord.findUniqueOrThrow({ where: { id: record.id } });
    expect(read.published).toBeInstanceOf(Uint8Array);
    expect(Buffer.from(read.published).equals(published)).toBe(true);
    expect([read.validUntilTs, read.firstSeenTs, read.lastSeenTs]).toEqual([
      MAX_INT64,
      9007199254740993n,
      -1n,
    ]);
    await database.client.remoteServer.create({ data: server('types.example') });
    const health = await database.client.remoteServer.findUniqueOrThrow({
      where: { serverName: 'types.example' },
    });
    expect(health).toMatchObject({ failCount: 0, nextTryTs: 0n, lastFetchTs: null });
  });

  it('returns Json with nested members and non-ASCII text', async () => {
    const detail = { list: [1, null, true, 'é😀', { deep: '__proto__' }], n: 1.5, 'a.b': '' };
    const event = { ts: 1n, serverName: 'json.example', kind: 'k', severity: 'info', detail };
    const { seq } = await database.client.keyEvent.create({ data: event });
    const read = await database.client.keyEvent.findUniqueOrThrow({ where: { seq } });
    expect(read.detail).toEqual(detail);
  });

  it('loses no increment in 20 parallel interactive transactions', async () => {
    await database.client.remoteServer.create({ data: server('count.example') });
    const where = { serverName: 'count.example' };
    const increment = () =>
      database.client.$transaction(async (tx) => {
        await tx.$queryRaw`UPDATE remote_server SET next_try_ts = next_try_ts WHERE server_name = ${where.serverName} RETURNING server_name`;
        const { failCount } = await tx.remoteServer.findUniqueOrThrow({ where });
        await tx.remoteServer.update({ where, data: { failCount: failCount + 1 } });
      });
    await Promise.all(Array.from({ length: 20 }, increment));
    expect((await database.client.remoteServer.findUniqueOrThrow({ where })).failCount).toBe(20);
  });

  it('hides the rows of an open transaction from other reads and keeps them out after a rollback', async () => {
    const where = { serverName: 'hidden.example' };
    const rolledBack = database.client.$transaction(async (tx) => {
      await tx.remoteServer.create({ data: server('hidden.example') });
      expect(await tx.remoteServer.count({ where })).toBe(1);
      expect(await database.client.remoteServer.count({ where })).toBe(0);
      throw new Error('roll back');
    });
    await expect(rolledBack).rejects.toThrow('roll back');
    expect(await database.client.remoteServer.count({ where })).toBe(0);
  });

  it('keeps a raw write from outside when the transaction that was open is rolled back', async () => {
    const outside: Promise<number>[] = [];
    const rolledBack = database.client.$transaction(async (tx) => {
      await tx.remoteServer.create({ data: server('inside.example') });
      const write = database.client.$executeRaw`
        INSERT INTO remote_server (server_name, first_asked_ts)
        VALUES ('outside.example', 1)`;
      outside.push(write.then((count) => count));
      await tx.remoteServer.count();
      throw new Error('roll back');
    });
    await expect(rolledBack).rejects.toThrow('roll back');
    expect(await Promise.all(outside)).toEqual([1]);
    const where = { serverName: { in: ['inside.example', 'outside.example'] } };
    const left = await database.client.remoteServer.findMany({ where });
    expect(left.map((row) => row.serverName)).toEqual(['outside.example']);
  });

  it('refuses to change or delete a key event', async () => {
    const event = { ts: 1n, serverName: 'log.example', kind: 'k', severity: 'info', detail: {} };
    const { seq } = await database.client.keyEvent.create({ data: event });
    const update = database.client.keyEvent.update({ where: { seq }, data: { kind: 'other' } });
    await expect(update).rejects.toThrow('append-only');
    await expect(database.client.keyEvent.delete({ where: { seq } })).rejects.toThrow('append-only');
    await expect(database.client.$executeRaw`DELETE FROM key_event`).rejects.toThrow('append-only');
    expect((await database.client.keyEvent.findUniqueOrThrow({ where: { seq } })).kind).toBe('k');
  });
});

it('deleted rows do not stay readable in the file of SQLite', async () => {
  const place = await createTestDatabase('sqlite');
  const database = await openDatabase(place.options, logger);
  const serverName = `secret.example.${'x'.repeat(9000)}`;
  const bytes = () => readFileSync((place.options as { path: string }).path, 'latin1');
  const flush = () => database.client.$queryRawUnsafe('PRAGMA wal_checkpoint(TRUNCATE)');

  await database.client.remoteServer.create({ data: server(serverName) });
  await flush();
  const before = bytes();
  await database.client.remoteServer.deleteMany();
  await flush();

  expect([before, bytes()].map((text) => text.includes('secret.example'))).toEqual([true, false]);
  await database.close();
  await place.cleanup();
});
