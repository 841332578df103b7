import { statSync } from 'node:fs';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { isConflict } from '../../../../src/core/store/conflict.js';
import { openDatabase, type Database } from '../../../../src/core/store/db.js';
import { PlainSql, type SqlRunner } from '../../../../src/core/store/sql/plain-sql.js';
import { postgresqlAdapterFactory } from '../../../../src/core/store/postgresql-adapter.js';
import { loadSqliteDriver } from '../../../../src/core/store/sqlite/driver.js';
import { sql } from '../../../../src/core/store/sql/sql.js';
import { isStoreUnavailable } from '../../../../src/core/store/store-errors.js';
import { createLogger } from '../../../../src/core/base/logger.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../../../support/store/databases.js';

const logger = createLogger({ level: 'silent' });

const insert = (runner: SqlRunner, name: string, ts = 1n): Promise<number> =>
  runner.execute(sql`
    INSERT INTO remote_server (server_name, first_asked_ts, throttle_tokens, throttle_tokens_ts)
    VALUES (${name}, ${ts}, ${0.5}, ${1n})`);
describe.each(testEngines())('plain SQL on %s', (engine) => {
  let place: TestDatabase;
  let database: Database;

  beforeEach(async () => {
    place = await createTestDatabase(engine);
    database = await openDatabase(place.options, logger);
  });
  afterEach(async () => {
    await database.close();
    await place.cleanup();
  });

  const names = async (): Promise<string[]> => {
    const rows = await database.client.remoteServer.findMany({ orderBy: { serverName: 'asc' } });
    return rows.map((row) => row.serverName);
  };

  it('writes and reads what the client writes and reads, before and after its first query', async () => {
    expect(await insert(database.plain, "o'neil.example")).toBe(1);
    expect(await names()).toEqual(["o'neil.example"]);
    await database.client.remoteServer.updateMany({ data: { throttleTokens: 0.25 } });

    const rows = await database.plain.query(sql`
      SELECT server_name AS "serverName", throttle_tokens AS tokens, ${null} AS missing
      FROM remote_server WHERE server_name = ${"o'neil.example"}`);
    expect(rows).toEqual([{ serverName: "o'neil.example", tokens: 0.25, missing: null }]);
    expect(
      await database.plain.query(sql`SELECT 1 AS one FROM remote_server WHERE server_name = ${'x'}`),
    ).toEqual([]);
  });

  it('keeps every digit of a large number', async () => {
    await insert(database.plain, 'large.example', 9_007_199_254_740_993n);
    const [row] = await database.plain.query<{ ts: number | string }>(
      sql`SELECT first_asked_ts AS ts FROM remote_server`,
    );
    expect(String(row?.ts)).toBe('9007199254740993');
  });

  it('commits a transaction as a whole, and takes back one that fails, with the same error', async () => {
    const value = await database.plain.transaction(async (runner) => {
      await insert(runner, 'a.example');
      await insert(runner, 'b.example');
      return (await runner.query(sql`SELECT 1 AS one FROM remote_server`)).length;
    });
    expect(value).toBe(2);

    const failure = new Error('no');
    const failing = database.plain.transaction(async (runner) => {
      await insert(runner, 'c.example');
      throw failure;
    });
    await expect(failing).rejects.toBe(failure);
    const doubled = database.plain.transaction(async (runner) => {
      await insert(runner, 'd.example');
      await insert(runner, 'a.example');
    });
    await expect(doubled).rejects.toMatchObject({ cause: { kind: 'UniqueConstraintViolation' } });
    expect(await names()).toEqual(['a.example', 'b.example']);
  });

  it('takes turns with transactions of the client', async () => {
    const plain = (name: string) =>
      database.plain.transaction(async (runner) => {
        await insert(runner, `${name}1.example`);
        await insert(runner, `${name}2.example`);
      });
    const prisma = (name: string) =>
      database.client.$transaction(async (tx) => {
        const data = { firstAskedTs: 1n, throttleTokens: 1, throttleTokensTs: 1n };
        await tx.remoteServer.create({ data: { serverName: `${name}1.example`, ...data } });
        await tx.remoteServer.create({ data: { serverName: `${name}2.example`, ...data } });
      });

    await Promise.all([
      plain('a'),
      prisma('b'),
      plain('c'),
      prisma('d'),
      insert(database.plain, 'e.example'),
    ]);

    expect(await names()).toHaveLength(9);
  });

  it('knows a conflict', async () => {
    await insert(database.plain, 'a.example');
    const error: unknown = await insert(database.plain, 'a.example').catch((each) => each);
    expect(isConflict(error)).toBe(true);
  });

  it('says of a statement nobody can run that it is no error of the store', async () => {
    const error: unknown = await database.plain
      .execute(sql`INSERT INTO nowhere VALUES (1)`)
      .catch((each) => each);
    expect(error).toBeInstanceOf(Error);
    expect(isStoreUnavailable(error)).toBe(false);
  });
});

describe('the end of a database that was used without the client', () => {
  it('leaves nothing of SQLite in the log', async () => {
    const place = await createTestDatabase('sqlite');
    const database = await openDatabase(place.options, logger);
    const path = database.writeAheadLog?.path ?? '';
    await insert(database.plain, 'a.example');
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);

    await database.close();

    expect(statSync(`${path}-wal`).size).toBe(0);
    await place.cleanup();
  });

  describe.each(testEngines().filter((engine) => engine === 'postgresql'))('and on %s', (engine) => {
    it('closes its connections', async () => {
      const place = await createTestDatabase(engine);
      const database = await openDatabase(place.options, logger);
      await insert(database.plain, 'a.example');
      await database.close();

      const other = await openDatabase(place.options, logger);
      // The server needs a moment to end a process whose client has gone, and has processes of its own.
      const countOthers = async (): Promise<number> => {
        const [row] = await other.plain.query<{ others: string }>(sql`
          SELECT count(*) AS others FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`);
        return Number(row?.others);
      };
      await expect.poll(countOthers).toBe(0);
      await other.close();
      await place.cleanup();
    });

    it('a connection that comes back inside a transaction is not used again', async () => {
      const place = await createTestDatabase(engine);
      if (place.options.engine !== 'postgresql') throw new Error('wrong engine');
      const adapter = await postgresqlAdapterFactory(
        { ...place.options, maxConnections: 1 },
        logger,
      ).connect();
      const unanswered = await adapter.startTransaction();
      await unanswered.rollback();

      const plain = new PlainSql(async () => adapter);
      await insert(plain, 'later.example');
      const other = await openDatabase(place.options, logger);
      expect(await other.client.remoteServer.count()).toBe(1);

      await adapter.dispose();
      await other.close();
      await place.cleanup();
    });
  });
});

describe('plain SQL on a store that is away', () => {
  const areAway = async (work: Promise<unknown>[]): Promise<boolean[]> => {
    const outcomes = await Promise.allSettled(work);
    return outcomes.map((outcome) => outcome.status === 'rejected' && isStoreUnavailable(outcome.reason));
  };
  const writes = ({ plain }: Database): Promise<number>[] => [
    insert(plain, 'b.example'),
    plain.transaction((runner) => insert(runner, 'c.example')),
  ];

  it('says so of a file that somebody else has locked, and writes when it is free', async () => {
    const place = await createTestDatabase('sqlite');
    const database = await openDatabase(place.options, logger);
    await insert(database.plain, 'a.example');
    const driver = loadSqliteDriver();
    const other = new driver(database.writeAheadLog?.path ?? '', { timeout: 0 });

    other.exec('BEGIN EXCLUSIVE');
    expect(await areAway(writes(database))).toEqual([true, true]);
    other.exec('ROLLBACK');
    other.close();

    await Promise.all(writes(database));
    expect(await database.client.remoteServer.count()).toBe(3);
    await database.close();
    await place.cleanup();
  });

  it('says so when others keep the turn of a writer for ten seconds, and writes afterwards', async () => {
    const place = await createTestDatabase('sqlite');
    const database = await openDatabase(place.options, logger);
    await database.client.$transaction(async (tx) => {
      await tx.remoteServer.count();
      const late = database.plain.transaction((runner) => insert(runner, 'late.example'));
      expect(await areAway([late])).toEqual([true]);
    });

    await insert(database.plain, 'next.example');
    const rows = await database.client.remoteServer.findMany();
    expect(rows.map(({ serverName }) => serverName)).toEqual(['next.example']);
    await database.close();
    await place.cleanup();
  });

  it('says so of a server that cannot be reached', async () => {
    const url = 'postgresql://nobody@127.0.0.1:1/none';
    const database = await openDatabase({ engine: 'postgresql', url, maxConnections: 1 }, logger);
    expect(await areAway(writes(database))).toEqual([true, true]);
    await database.close();
  });
});
