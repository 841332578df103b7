import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase, type Database, type DatabaseOptions } from '../../../src/core/store/db.js';
import { migrate } from '../../../src/core/store/migrate.js';
import { isStoreUnavailable } from '../../../src/core/store/store-errors.js';
import { createLogger } from '../../../src/core/base/logger.js';
import { testEngines } from '../../support/store/databases.js';
import { startPostgresServer } from '../../support/store/postgres-server.js';
import { setUp } from '../../support/set-up.js';

const logger = createLogger({ level: 'silent' });
const rejected = (work: Promise<unknown>) => work.then(() => null).catch((error: unknown) => error);

class Gate {
  open!: () => void;
  readonly opened = new Promise<void>((resolve) => {
    this.open = resolve;
  });
}

describe.runIf(testEngines().includes('postgresql'))('a PostgreSQL server that goes away', () => {
  const server = setUp(startPostgresServer);
  let options: DatabaseOptions;
  let database: Database;

  beforeAll(async () => {
    options = { engine: 'postgresql', url: server.url(), maxConnections: 3 };
    await server.stop();
    database = await openDatabase(options, logger);
  });
  afterAll(() => database.close());

  it('lets the database open while it is down, fails queries as unavailable, and works once it is up', async () => {
    await expect(database.ping()).rejects.toMatchObject({ status: 503, reason: 'store_unavailable' });
    expect(isStoreUnavailable(await rejected(database.client.remoteServer.count()))).toBe(true);
    expect(isStoreUnavailable(await rejected(migrate(options, logger)))).toBe(true);
    await server.start();
    await migrate(options, logger);
    await database.ping();
    expect(await database.client.remoteServer.count()).toBe(0);
  });

  it('fails an open transaction as unavailable when it dies, and works again after its return', async () => {
    const cut = database.client.$transaction(async (tx) => {
      await tx.remoteServer.count();
      await server.stop();
      await tx.remoteServer.count();
    });
    expect(isStoreUnavailable(await rejected(cut))).toBe(true);
    expect(isStoreUnavailable(await rejected(database.client.$queryRaw`SELECT 1`))).toBe(true);
    expect(
      isStoreUnavailable(await rejected(database.client.$transaction((tx) => tx.keyEvent.count()))),
    ).toBe(true);
    await server.start();
    await database.ping();
    expect(await database.client.$transaction((tx) => tx.remoteServer.count())).toBe(0);
  });

  it('fails a query as unavailable when an administrator ends its connection', async () => {
    const ended = database.client.$transaction(async (tx) => {
      const [row] = await tx.$queryRaw<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
      await database.client.$queryRaw`SELECT pg_terminate_backend(${row?.pid}::int)`;
      await tx.remoteServer.count();
    });
    expect(isStoreUnavailable(await rejected(ended))).toBe(true);
    await database.ping();
  });

  it.each([
    ['the password is wrong', (url: URL) => (url.password = 'wrong')],
    ['the database does not exist', (url: URL) => (url.pathname = '/nowhere')],
  ])('fails as unavailable when %s', async (_case, spoil) => {
    const url = new URL(server.url());
    spoil(url);
    const wrong: DatabaseOptions = { engine: 'postgresql', url: url.href, maxConnections: 1 };
    const other = await openDatabase(wrong, logger);
    const errors = [await rejected(other.client.keyEvent.count()), await rejected(migrate(wrong, logger))];
    await other.close();
    expect(errors.map(isStoreUnavailable)).toEqual([true, true]);
  });

  it('fails a query as unavailable when all connections stay taken', async () => {
    const held = Array.from({ length: 3 }, () => new Gate());
    const end = new Gate();
    const holders = held.map((gate) =>
      database.client.$transaction(async (tx) => {
        await tx.remoteServer.count();
        gate.open();
        await end.opened;
      }),
    );
    await Promise.all(held.map((gate) => gate.opened));
    const error = await rejected(database.client.remoteServer.count());
    end.open();
    await Promise.all(holders);
    expect(isStoreUnavailable(error)).toBe(true);
    await database.ping();
  });
});
