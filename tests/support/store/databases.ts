import { randomBytes } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import type { DatabaseOptions } from '../../../src/core/store/db.js';
import { migrate } from '../../../src/core/store/migrate.js';
import { createLogger } from '../../../src/core/base/logger.js';
import { memoryFolder } from '../memory-folder.js';
import { startPostgresServer } from './postgres-server.js';

/** Set by global-setup.ts for the processes that run tests. */
const POSTGRES_URL = 'VIDIMUS_TEST_POSTGRES_URL';
const POSTGRES_TEMPLATE = 'VIDIMUS_TEST_POSTGRES_TEMPLATE';
const SQLITE_TEMPLATE = 'VIDIMUS_TEST_SQLITE_TEMPLATE';

export type TestEngine = DatabaseOptions['engine'];

const ENGINES: readonly TestEngine[] = ['sqlite', 'postgresql'];

/** A database of its own for one test or file, removed by `cleanup`. Close every client before. */
export interface TestDatabase {
  options: DatabaseOptions;
  cleanup: () => Promise<void>;
}

/**
 * The engines that tests of the store run on: `describe.each(testEngines())('…on %s', (engine) => …)`. The project of
 * vitest may name one. PostgreSQL is missing where no server runs, which the start of the run has said.
 */
export function testEngines(): TestEngine[] {
  const there = process.env[POSTGRES_URL] === undefined ? ENGINES.slice(0, 1) : ENGINES;
  const wanted = process.env['TEST_ENGINES'];
  return there.filter((engine) => wanted === undefined || wanted === engine);
}

/** A fresh database with all migrations applied. */
export async function createTestDatabase(engine: TestEngine): Promise<TestDatabase> {
  const database = await createDatabase(engine, process.env[POSTGRES_TEMPLATE]);
  const template = process.env[SQLITE_TEMPLATE];
  if (template === undefined) throw new Error('tests/support/global-setup.ts has not run');
  if (database.options.engine === 'sqlite') copyFileSync(template, database.options.path);
  return database;
}

/** A fresh database without any table; for SQLite a path where nothing is yet. */
export function createEmptyDatabase(engine: TestEngine): Promise<TestDatabase> {
  return createDatabase(engine, 'template0');
}

async function createDatabase(engine: TestEngine, template: string | undefined): Promise<TestDatabase> {
  if (engine === 'sqlite') {
    const folder = await mkdtemp(join(memoryFolder(), 'vidimus-db-'));
    return {
      options: { engine, path: join(folder, 'test.db'), synchronous: 'normal' },
      cleanup: () => rm(folder, { recursive: true, force: true }),
    };
  }
  const name = `vidimus_test_${randomBytes(8).toString('hex')}`;
  await askServer(`CREATE DATABASE ${name} TEMPLATE ${String(template)}`);
  return {
    options: { engine, url: databaseUrl(name), maxConnections: 5 },
    cleanup: () => askServer(`DROP DATABASE ${name} WITH (FORCE)`),
  };
}

function databaseUrl(name: string): string {
  const url = new URL(process.env[POSTGRES_URL] ?? '');
  url.pathname = `/${name}`;
  return url.href;
}

async function askServer(sql: string): Promise<void> {
  const client = new Client({ connectionString: process.env[POSTGRES_URL] });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/**
 * The server of this run: TEST_POSTGRES_URL when set (a user that may create databases), else one started
 * below `folder`. Null, said aloud, when there is none; VIDIMUS_TEST_ENGINES=sqlite leaves it out silently.
 */
async function startTestPostgres(
  folder = memoryFolder(),
): Promise<{ url: string; stop: () => Promise<void> } | null> {
  if (process.env['VIDIMUS_TEST_ENGINES'] === 'sqlite') return null;
  const url = process.env['TEST_POSTGRES_URL'];
  if (url !== undefined && url !== '') return { url, stop: async () => undefined };
  try {
    const server = await startPostgresServer(folder);
    return { url: server.url(), stop: () => server.remove() };
  } catch (error) {
    process.stderr.write(`\n*** NOTHING IS TESTED ON POSTGRESQL. ${String(error)}\n\n`);
    return null;
  }
}

/** Makes the migrated template of an engine, and starts its server; resolves to the function that undoes it. */
export async function prepareTestDatabase(engine: TestEngine): Promise<() => Promise<void>> {
  const server = engine === 'postgresql' ? await startTestPostgres() : null;
  if (engine === 'postgresql' && server === null) return async () => undefined;
  if (server !== null) process.env[POSTGRES_URL] = server.url;
  const { options, cleanup } = await createEmptyDatabase(engine);
  await migrate(options, createLogger({ level: 'warn' }));
  if (options.engine === 'sqlite') process.env[SQLITE_TEMPLATE] = options.path;
  else process.env[POSTGRES_TEMPLATE] = new URL(options.url).pathname.slice(1);
  return async () => {
    await cleanup();
    await server?.stop();
  };
}
