import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase, type DatabaseOptions, type Db } from '../../../src/core/store/db.js';
import { migrate, migrationStatus } from '../../../src/core/store/migrate.js';
import { migrationNames, migrationsFolder } from '../../../src/core/store/migration-files.js';
import { createLogger } from '../../../src/core/base/logger.js';
import {
  createEmptyDatabase,
  testEngines,
  type TestDatabase,
  type TestEngine,
} from '../../support/store/databases.js';
import { TYPESCRIPT } from '../../support/typescript.js';

const logger = createLogger({ level: 'silent' });
const STARTER = 'tests/support/store/migrating-process.ts';
const NEXT = '29990101000000_next';
const LATER = '29990102000000_later';
const KEY = { keyId: 'ed25519:a', publicKey: 'x', state: 'active', firstSeenTs: 1n };
const run = promisify(execFile);

async function start(options: DatabaseOptions): Promise<string[]> {
  const { stdout } = await run(process.execPath, ['--import', TYPESCRIPT, STARTER, JSON.stringify(options)]);
  return JSON.parse(stdout) as string[];
}

/** The program's migrations and one more, in a folder of its own. */
async function folderWithOneMore(engine: TestEngine, sql: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-migrations-'));
  cpSync(migrationsFolder(engine), folder, { recursive: true });
  addMigration(folder, NEXT, sql);
  return folder;
}

function addMigration(folder: string, name: string, sql: string): void {
  mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, name, 'migration.sql'), sql);
}

describe.each(testEngines())('migrate on %s', (engine) => {
  const known = migrationNames(migrationsFolder(engine));
  let place: TestDatabase;

  beforeEach(async () => {
    place = await createEmptyDatabase(engine);
  });
  afterEach(() => place.cleanup());

  async function change(work: (client: Db) => Promise<unknown>): Promise<void> {
    const database = await openDatabase(place.options, logger);
    try {
      await work(database.client);
    } finally {
      await database.close();
    }
  }

  it('finds everything pending on an empty database and changes nothing', async () => {
    const expected = { applied: [], pending: known, unknown: [] };
    expect(await migrationStatus(place.options)).toEqual(expected);
    expect(await migrationStatus(place.options)).toEqual(expected);
    expect(place.options.engine === 'sqlite' && existsSync(place.options.path)).toBe(false);
  });

  it('applies every migration once, then has nothing to do', async () => {
    expect(await migrate(place.options, logger)).toEqual({ applied: known });
    expect(await migrate(place.options, logger)).toEqual({ applied: [] });
    const status = await migrationStatus(place.options);
    expect(status).toEqual({ applied: known, pending: [], unknown: [] });
  });

  it('lets two processes start on the same empty database and applies each migration once', async () => {
    const applied = await Promise.all([start(place.options), start(place.options)]);
    expect(applied.flat()).toEqual(known);
    await change(async (client) => {
      const rows = await client.$queryRaw`SELECT migration_name FROM _prisma_migrations ORDER BY 1`;
      expect(rows).toEqual(known.map((name) => ({ migration_name: name })));
    });
  });

  it.runIf(engine === 'postgresql')('does so whatever isolation transactions have by default', async () => {
    const url = new URL('url' in place.options ? place.options.url : '');
    url.searchParams.set('options', '-c default_transaction_isolation=serializable');
    const options: DatabaseOptions = { engine: 'postgresql', url: url.href, maxConnections: 5 };
    const applied = await Promise.all([migrate(options, logger), migrate(options, logger)]);
    expect(applied.flatMap((each) => each.applied)).toEqual(known);
  });

  it.each([
    ['by another name', "UPDATE _prisma_migrations SET migration_name = '20261121091852_init'"],
    ['with another script', "UPDATE _prisma_migrations SET checksum = 'x'"],
  ])('refuses a database that has a migration %s, and changes nothing', async (_how, statement) => {
    await migrate(place.options, logger);
    const readRows = (client: Db) => client.$queryRaw`SELECT * FROM _prisma_migrations`;
    let before: unknown;
    await change(async (client) => {
      await client.$executeRawUnsafe(statement);
      before = await readRows(client);
    });
    await expect(migrate(place.options, logger)).rejects.toMatchObject({
      reason: 'database_other_version',
      message: expect.stringMatching(/another version.*_init.*empty database/),
    });
    await change(async (client) => expect(await readRows(client)).toEqual(before));
  });

  it('applies a later migration to a database with content and keeps its rows', async () => {
    await migrate(place.options, logger);
    await change((client) => client.signingKey.create({ data: KEY }));
    const folder = await folderWithOneMore(engine, 'ALTER TABLE signing_key ADD COLUMN note TEXT;');
    expect(await migrate(place.options, logger, folder)).toEqual({ applied: [NEXT] });
    await rm(folder, { recursive: true });
    await change(async (client) => {
      expect(await client.$queryRaw`SELECT key_id, note FROM signing_key`).toEqual([
        { key_id: KEY.keyId, note: null },
      ]);
    });
  });

  it('leaves nothing of a migration that fails, names the cause at every try, and goes on once that is mended', async () => {
    await migrate(place.options, logger);
    await change((client) => client.signingKey.create({ data: KEY }));
    const folder = await folderWithOneMore(engine, 'ALTER TABLE signing_key ADD COLUMN note TEXT;');
    addMigration(folder, LATER, 'CREATE TABLE half (id INTEGER);\nINSERT INTO nowhere VALUES (1);');
    for (const _try of ['first', 'second']) {
      await expect(migrate(place.options, logger, folder)).rejects.toMatchObject({
        reason: 'migration_failed',
        message: expect.stringContaining('nowhere'),
      });
      expect(await migrationStatus(place.options, folder)).toMatchObject({ pending: [NEXT, LATER] });
    }
    // As a program between the two versions does, which both tries let open it.
    await change((client) => client.signingKey.create({ data: { ...KEY, keyId: 'ed25519:b' } }));
    addMigration(folder, LATER, 'CREATE TABLE half (id INTEGER);');
    expect(await migrate(place.options, logger, folder)).toEqual({ applied: [NEXT, LATER] });
    await rm(folder, { recursive: true });
  });
});
