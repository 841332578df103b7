import { Client } from 'pg';

import type { DatabaseOptions } from '../../src/core/store/db.js';
import { loadSqliteDriver } from '../../src/core/store/sqlite/driver.js';

/** What fills tables: a connection without transactions, limits, indexes and triggers, and what the engines write differently. */
export interface BulkConnection {
  run(statement: string): Promise<void>;
  /** A sub-query `n` of the whole numbers `i` from `from` on and below `until`. */
  numbers(from: number, until: number): string;
  /** An expression for 64 hexadecimal digits that look random, another for each value of `seed`. */
  hex(seed: string): string;
  /** An expression for the bytes of a text. */
  bytes(text: string): string;
  /** Makes the indexes that it dropped; PostgreSQL also looks at what there is, as it does by itself sooner or later. */
  end(): Promise<void>;
}

/** Opens an empty, migrated database; its secondary indexes go until the end, since they are made at once much faster. */
export function openBulk(options: DatabaseOptions): Promise<BulkConnection> {
  return options.engine === 'sqlite' ? openSqlite(options.path) : openPostgresql(options.url);
}

async function openSqlite(path: string): Promise<BulkConnection> {
  const Driver = loadSqliteDriver();
  const database = new Driver(path, { timeout: 0 });
  const run = async (statement: string): Promise<void> => database.exec(statement);
  // Nothing is lost that could not be filled again.
  for (const pragma of [
    'journal_mode = OFF',
    'synchronous = OFF',
    'foreign_keys = OFF',
    'cache_size = -400000',
  ])
    await run(`PRAGMA ${pragma}`);
  const select = database.prepare(
    "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL",
  );
  select.setReturnArrays(true);
  const indexes = select.all().map(([name, sql]) => ({ name: String(name), sql: String(sql) }));
  for (const { name } of indexes) await run(`DROP INDEX "${name}"`);
  return {
    run,
    numbers: (from, until) =>
      `(WITH RECURSIVE c(i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM c WHERE i + 1 < ${until}) SELECT i FROM c) AS n`,
    hex: () => 'lower(hex(randomblob(32)))',
    bytes: (text) => `CAST(${text} AS BLOB)`,
    end: async () => {
      for (const { sql } of indexes) await run(sql);
      // Without statistics, as the program has none on SQLite.
      await run('PRAGMA journal_mode = WAL');
      database.close();
    },
  };
}

async function openPostgresql(url: string): Promise<BulkConnection> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const run = async (statement: string): Promise<void> => void (await client.query(statement));
  // Without triggers, foreign keys among them.
  for (const setting of [
    "session_replication_role = 'replica'",
    "maintenance_work_mem = '1GB'",
    'synchronous_commit = off',
  ])
    await run(`SET ${setting}`);
  const { rows: indexes } = await client.query<{ name: string; sql: string }>(
    `SELECT indexname AS name, indexdef AS sql FROM pg_indexes WHERE schemaname = 'public'
      AND indexname NOT IN (SELECT conname FROM pg_constraint)`,
  );
  for (const { name } of indexes) await run(`DROP INDEX "${name}"`);
  return {
    run,
    numbers: (from, until) => `generate_series(CAST(${from} AS BIGINT), ${until - 1}) AS n(i)`,
    hex: (seed) => `md5(CAST(${seed} AS TEXT)) || md5(CAST(-(${seed}) AS TEXT))`,
    bytes: (text) => `convert_to(${text}, 'UTF8')`,
    end: async () => {
      for (const { sql } of indexes) await run(sql);
      await run('VACUUM ANALYZE');
      await run('CHECKPOINT');
      await client.end();
    },
  };
}
