import { EventEmitter, once } from 'node:events';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { isConflict } from '../../../../src/core/store/conflict.js';
import { openDatabase, type Database } from '../../../../src/core/store/db.js';
import type { SqlRunner } from '../../../../src/core/store/sql/plain-sql.js';
import { sql } from '../../../../src/core/store/sql/sql.js';
import { isStoreUnavailable } from '../../../../src/core/store/store-errors.js';
import { createLogger } from '../../../../src/core/base/logger.js';
import { startRelay } from '../../../support/store/relay.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../../../support/store/databases.js';

const logger = createLogger({ level: 'silent' });

const write = (runner: SqlRunner, name: string): Promise<void> =>
  runner.write(sql`INSERT INTO remote_server (server_name, first_asked_ts, throttle_tokens, throttle_tokens_ts)
    VALUES (${name}, ${1n}, ${1}, ${1n})`);
const count = async (runner: SqlRunner): Promise<number> => {
  const rows = await runner.query(sql`SELECT 1 FROM remote_server`);
  return rows.length;
};
const rejected = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

describe.each(testEngines())('writes of a transaction on %s', (engine) => {
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

  it('are seen by what follows, and all there when it is through, many more than are sent at once', async () => {
    const counted = await database.plain.transaction(async (runner) => {
      for (let index = 0; index < 100; index += 1) await write(runner, `${index}.example`);
      return count(runner);
    });
    expect(counted).toBe(100);
    expect(await count(database.plain)).toBe(100);
  });

  it.each([
    ['last of all', () => Promise.resolve()],
    ['before others', (runner: SqlRunner) => write(runner, 'later.example')],
    ['before a question', (runner: SqlRunner) => count(runner)],
    ['before work that fails of its own', () => Promise.reject(new Error('of its own'))],
  ])('take back everything when one fails %s, which is what is told', async (_when, follow) => {
    await write(database.plain, 'a.example');
    const failing = database.plain.transaction(async (runner) => {
      await write(runner, 'b.example');
      await write(runner, 'a.example');
      await follow(runner);
    });

    expect(isConflict(await rejected(failing))).toBe(true);
    expect(await count(database.plain)).toBe(1);
    await database.plain.transaction((runner) => write(runner, 'b.example'));
    expect(await count(database.plain)).toBe(2);
  });

  it('are followed by nothing once one is known to have failed', async () => {
    await write(database.plain, 'a.example');
    const told: unknown[] = [];
    const failing = database.plain.transaction(async (runner) => {
      told.push(await rejected(write(runner, 'a.example').then(() => count(runner))));
      for (const ask of [count, (each: SqlRunner) => write(each, 'b.example')])
        told.push(await rejected(ask(runner)));
      told.push(await rejected(runner.execute(sql`DELETE FROM remote_server`)));
    });

    const error = await rejected(failing);
    expect(isConflict(error)).toBe(true);
    expect(told.slice(1)).toEqual([error, error, error]);
    expect(engine === 'sqlite' ? told[0] : error).toBe(error);
    expect(await count(database.plain)).toBe(1);
  });

  it.each([
    ['through', () => Promise.resolve()],
    ['taken back', () => Promise.reject(new Error('of its own'))],
  ])('are refused when their transaction is %s', async (_how, end) => {
    let left: SqlRunner | undefined;
    await rejected(
      database.plain.transaction((runner) => {
        left = runner;
        return end();
      }),
    );

    for (const ask of [count, (each: SqlRunner) => write(each, 'late.example')])
      expect(String(await rejected(ask(left!)))).toContain('after the end of its transaction');
    expect(await count(database.plain)).toBe(0);
  });

  it('are announced once they are committed', async () => {
    const seen: Promise<number>[] = [];
    await database.plain.transaction(async (runner) => {
      runner.onCommitted(() => seen.push(count(database.plain)));
      await write(runner, 'a.example');
      expect(seen).toEqual([]);
    });
    expect(await Promise.all(seen)).toEqual([1]);
  });

  it('are taken back with work that fails of its own, and nobody hears of them', async () => {
    const failure = new Error('of its own');
    const failing = database.plain.transaction(async (runner) => {
      runner.onCommitted(() => expect.unreachable());
      await write(runner, 'a.example');
      throw failure;
    });
    expect(await rejected(failing)).toBe(failure);
    expect(await count(database.plain)).toBe(0);
  });
});

/** Where the database of a test is, when it is one of PostgreSQL. */
function onServer({ options }: TestDatabase, more: { url?: string; maxConnections?: number } = {}) {
  if (options.engine !== 'postgresql') throw new Error('wrong engine');
  return { ...options, ...more };
}

const onServers = testEngines().filter((engine) => engine === 'postgresql');

describe.each(onServers)('writes on %s that the server does not answer yet', (engine) => {
  let place: TestDatabase;
  let database: Database;
  /** Takes back the row of `held.example`, for which the server lets others wait. */
  let release: () => Promise<void>;

  beforeEach(async () => {
    place = await createTestDatabase(engine);
    database = await openDatabase(place.options, logger);
    const end = new EventEmitter();
    const holder = rejected(
      database.plain.transaction(async (runner) => {
        await write(runner, 'held.example');
        await count(runner);
        end.emit('held');
        await once(end, 'released');
        throw new Error('taken back');
      }),
    );
    release = async () => {
      end.emit('released');
      await holder;
    };
    await once(end, 'held');
  });
  afterEach(async () => {
    await release();
    await database.close();
    await place.cleanup();
  });

  it('are not waited for, up to fifteen', async () => {
    let sent = 0;
    const work = database.plain.transaction(async (runner) => {
      await write(runner, 'held.example');
      for (sent = 1; sent < 40; sent += 1) await write(runner, `${sent}.example`);
    });
    await expect.poll(() => sent).toBe(15);
    expect(await count(database.plain)).toBe(0);
    expect(sent).toBe(15);

    await release();
    await work;
    expect(await count(database.plain)).toBe(40);
  });

  it('end before what follows on their connection when the work fails', async () => {
    const other = await openDatabase(onServer(place, { maxConnections: 1 }), logger);
    const failure = new Error('of its own');
    let isSent = false;
    const failing = rejected(
      other.plain.transaction(async (runner) => {
        await write(runner, 'held.example');
        await write(runner, 'behind.example');
        isSent = true;
        throw failure;
      }),
    );
    await expect.poll(() => isSent).toBe(true);
    const next = other.plain.transaction((runner) => write(runner, 'next.example'));

    await release();
    expect(await failing).toBe(failure);
    await next;
    const names = await other.plain.query(sql`SELECT server_name AS name FROM remote_server`);
    expect(names).toEqual([{ name: 'next.example' }]);
    await other.close();
  });

  it('are on their way nevertheless', async () => {
    const relay = await startRelay(onServer(place).url);
    const other = await openDatabase(onServer(place, { url: relay.url }), logger);
    const work = other.plain.transaction(async (runner) => {
      await count(runner);
      relay.holdAnswers();
      for (const name of ['a.example', 'b.example', 'c.example']) await write(runner, name);
    });
    await expect.poll(() => relay.asked()).toContain('c.example');
    expect(relay.asked()).toContain('a.example');

    relay.passAnswers();
    await work;
    expect(await count(database.plain)).toBe(3);
    await other.close();
    await relay.close();
  });

  it('fail as unavailable with the connection', async () => {
    let pid: number | undefined;
    const cut = rejected(
      database.plain.transaction(async (runner) => {
        const [row] = await runner.query<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`);
        for (const name of ['held.example', 'b.example', 'c.example']) await write(runner, name);
        pid = row?.pid;
        await count(runner);
      }),
    );
    await expect.poll(() => pid).toBeDefined();
    await database.plain.query(sql`SELECT pg_terminate_backend(${pid ?? 0})`);

    expect(isStoreUnavailable(await cut)).toBe(true);
    expect(await count(database.plain)).toBe(0);
  });
});
