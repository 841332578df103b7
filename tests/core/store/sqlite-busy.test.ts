import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/core/store/db.js';
import { PrismaClient } from '../../../src/core/store/generated/sqlite/client.js';
import { migrate, migrationStatus } from '../../../src/core/store/migrate.js';
import { sqliteAdapterFactory } from '../../../src/core/store/sqlite/adapter.js';
import { openDriver, type DriverDatabase } from '../../../src/core/store/sqlite/driver.js';
import { isStoreUnavailable } from '../../../src/core/store/store-errors.js';
import { createLogger } from '../../../src/core/base/logger.js';
import { createTestDatabase } from '../../support/store/databases.js';

const logger = createLogger({ level: 'silent' });
const rejected = (work: Promise<unknown>) => work.then(() => null).catch((error: unknown) => error);

const mode = (file: string) => statSync(file).mode & 0o777;

const row = (serverName: string) => ({
  serverName,
  firstAskedTs: 1n,
});

describe('a SQLite file that another connection has locked', () => {
  let client: PrismaClient;
  let connect: (busyTimeoutMs: number) => PrismaClient;
  let other: DriverDatabase;
  let cleanup: () => Promise<void>;

  beforeEach(async () => {
    const place = await createTestDatabase('sqlite');
    if (place.options.engine !== 'sqlite') throw new Error('wrong engine');
    const { path, synchronous } = place.options;
    connect = (busyTimeoutMs) =>
      new PrismaClient({ adapter: sqliteAdapterFactory({ path, synchronous, busyTimeoutMs }) });
    client = connect(200);
    await client.remoteServer.create({ data: row('before.example') });
    other = openDriver(path, 0);
    cleanup = place.cleanup;
  });
  afterEach(async () => {
    other.close();
    await client.$disconnect();
    await cleanup();
  });

  it('still answers reads', async () => {
    other.exec('BEGIN EXCLUSIVE');
    expect(await client.remoteServer.count()).toBe(1);
  });

  it('gives up a write after the time-out with an unavailable error, and writes again when it is free', async () => {
    other.exec('BEGIN EXCLUSIVE');
    const error = await rejected(client.remoteServer.create({ data: row('late.example') }));
    expect(isStoreUnavailable(error)).toBe(true);
    other.exec('ROLLBACK');
    await client.remoteServer.create({ data: row('late.example') });
    expect(await client.remoteServer.count()).toBe(2);
  });

  it('waits for a short lock without blocking the process', async () => {
    const patient = connect(30_000);
    await patient.remoteServer.count();
    other.exec('BEGIN EXCLUSIVE');
    const events: string[] = [];
    const write = patient.remoteServer
      .create({ data: row('wait.example') })
      .finally(() => events.push('written'));
    for (let turns = 0; turns < 10; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    events.push('unlocked');
    other.exec('ROLLBACK');
    await write;
    await patient.$disconnect();
    expect(events).toEqual(['unlocked', 'written']);
  });
});

describe('a SQLite file that cannot be opened', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'vidimus-db-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('makes queries fail as unavailable and is used as soon as it is there', async () => {
    const path = join(folder, 'sub', 'a.db');
    writeFileSync(join(folder, 'sub'), 'a file where the folder should be');
    const options = { engine: 'sqlite', path, synchronous: 'full' } as const;
    const database = await openDatabase(options, logger);
    await expect(database.ping()).rejects.toMatchObject({ status: 503, reason: 'store_unavailable' });
    expect(isStoreUnavailable(await rejected(database.client.remoteServer.count()))).toBe(true);
    expect(isStoreUnavailable(await rejected(migrate(options, logger)))).toBe(true);
    rmSync(join(folder, 'sub'));
    await migrate(options, logger);
    await database.ping();
    expect(await database.client.remoteServer.count()).toBe(0);
    await database.close();
  });

  it('makes folder and files for the owner only', async () => {
    const path = join(folder, 'data', 'a.db');
    const database = await openDatabase({ engine: 'sqlite', path, synchronous: 'normal' }, logger);
    await database.client.$executeRaw`CREATE TABLE t (a INTEGER)`;
    expect([mode(dirname(path)), mode(path), mode(`${path}-wal`)]).toEqual([0o700, 0o600, 0o600]);
    await database.close();
  });

  it('is refused with the cause when it is no database', async () => {
    const path = join(folder, 'a.db');
    writeFileSync(path, 'x'.repeat(8192));
    chmodSync(path, 0o600);
    const options = { engine: 'sqlite', path, synchronous: 'normal' } as const;
    await expect(migrationStatus(options)).rejects.toThrow('is not an SQLite database');
  });
});

describe('a SQLite database', () => {
  it.each([
    ['normal', 1n],
    ['full', 2n],
  ] as const)('opens with WAL, foreign keys and synchronous %s', async (synchronous, level) => {
    const place = await createTestDatabase('sqlite');
    if (place.options.engine !== 'sqlite') throw new Error('wrong engine');
    const database = await openDatabase({ ...place.options, synchronous }, logger);
    const ask = (name: string) => database.client.$queryRawUnsafe(`PRAGMA ${name}`);
    expect(await ask('synchronous')).toEqual([{ synchronous: level }]);
    expect(await ask('journal_mode')).toEqual([{ journal_mode: 'wal' }]);
    expect(await ask('foreign_keys')).toEqual([{ foreign_keys: 1n }]);
    await database.close();
    await place.cleanup();
  });
});
