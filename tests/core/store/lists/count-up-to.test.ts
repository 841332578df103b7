import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createLogger } from '../../../../src/core/base/logger.js';
import { openDatabase, type Database } from '../../../../src/core/store/db.js';
import { countUpTo } from '../../../../src/core/store/lists/count-up-to.js';
import { rawSql, sql } from '../../../../src/core/store/sql/sql.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../../../support/store/databases.js';

/** Conditions that an index serves. */
const PLANNED = [
  ['remote_server', 'alarm_seq IS NOT NULL'],
  ['remote_server', 'fail_count > 0'],
  ['remote_server', 'due_ts > 5'],
  ['remote_server', 'valid_until_ts <= 5'],
  ['media', 'missing_since_ts IS NOT NULL'],
  ['media', 'created_ts < 5 AND file_removed_ts IS NULL AND url_cache IS NOT NULL'],
  ['preview_cache', 'expires_ts > 5'],
];

describe.each(testEngines())('counting up to a bound on %s', (engine) => {
  let place: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    place = await createTestDatabase(engine);
    // One connection, so that it has been asked whatever was.
    const options =
      place.options.engine === 'sqlite' ? place.options : { ...place.options, maxConnections: 1 };
    database = await openDatabase(options, createLogger({ level: 'silent' }));
    const rows = Array.from({ length: 7 }, (_, at) => ({
      serverName: `s${at}.example`,
      firstAskedTs: 0,
      alarmSeq: at % 2 === 0 ? at : null,
    }));
    await database.client.remoteServer.createMany({ data: rows });
  });
  afterAll(async () => {
    await database.close();
    await place.cleanup();
  });

  it.each([
    ['alarm_seq IS NOT NULL', 10, 4],
    ['alarm_seq IS NOT NULL', 3, 3],
    ['fail_count > 0', 10, 0],
  ])('finds rows with %s, at most %i', async (where, limit, expected) => {
    expect(await countUpTo(database, { table: 'remote_server', where: rawSql(where) }, limit)).toBe(expected);
  });

  it.runIf(engine === 'postgresql')('reads no other rows however often it has been asked', async () => {
    const { client } = database;
    await client.$executeRawUnsafe(`INSERT INTO media (media_id, user_id, created_ts, content_type, size_bytes, sha256, url_cache)
      SELECT 'm' || i, '@a:example', i, 'text/html', 1, 'x', 'https://a.test/' || i FROM generate_series(100, 30000) AS n(i)`);
    await client.$executeRawUnsafe('ANALYZE media');
    // Long before all others, which makes it expect many of them.
    await client.$executeRawUnsafe("UPDATE media SET created_ts = -1000000 WHERE media_id = 'm500'");
    // PostgreSQL makes plans for the values of a statement five times, then may keep one that is for any.
    for (let asked = 0; asked < 8; asked += 1) {
      const where = sql`created_ts < ${99n} AND url_cache IS NOT NULL`;
      expect(await countUpTo(database, { table: 'media', where }, 100_000)).toBe(1);
    }
    await client.$queryRawUnsafe('SELECT 1 FROM pg_stat_force_next_flush()');
    const read = await client.$queryRawUnsafe<{ rows: number }[]>(
      "SELECT CAST(seq_tup_read AS INTEGER) AS rows FROM pg_stat_user_tables WHERE relname = 'media'",
    );

    expect(read).toEqual([{ rows: 0 }]);
  });

  // Only plans of SQLite are the same for few rows and many.
  it.each(engine === 'sqlite' ? PLANNED : [])(
    'reads of %s no more rows than have %s',
    async (table, where) => {
      const statements: { strings: readonly string[]; values: unknown[] }[] = [];
      const client = new Proxy(database.client, {
        get: (target, name) =>
          name === '$queryRaw'
            ? (strings: readonly string[], ...values: unknown[]) => {
                statements.push({ strings, values });
                return target.$queryRaw(strings as TemplateStringsArray, ...values);
              }
            : (Reflect.get(target, name) as unknown),
      });
      await countUpTo({ client }, { table, where: rawSql(where) }, 100);
      const [{ strings, values } = { strings: [''], values: [] }] = statements;
      const plan = await database.client.$queryRawUnsafe<{ detail: string }[]>(
        `EXPLAIN QUERY PLAN ${strings.join('?')}`,
        ...values,
      );

      expect(plan.map(({ detail }) => detail).join('\n')).toMatch(
        new RegExp(`SEARCH ${table} USING (?:COVERING )?INDEX`),
      );
    },
  );
});
