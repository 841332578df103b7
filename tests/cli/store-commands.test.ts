import { existsSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { SignInCodes } from '../../src/core/access/operators/sign-in-codes.js';
import { systemClock } from '../../src/core/base/clock.js';
import { openDatabase, type Database } from '../../src/core/store/db.js';
import { createLogger } from '../../src/core/base/logger.js';
import {
  createEmptyDatabase,
  createTestDatabase,
  testEngines,
  type TestDatabase,
} from '../support/store/databases.js';
import { runHere } from './in-process.js';
import { temporaryFolder, vidimus, writeConfig } from './vidimus.js';

const DOWN = { engine: 'postgresql', url: 'postgresql://u:hunter2@127.0.0.1:1/none' };

describe.each(testEngines())('vidimus db and admin on %s', (engine) => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let store: TestDatabase;
  beforeEach(async () => {
    folder = await temporaryFolder();
    await use(await createTestDatabase(engine));
  });
  afterEach(async () => {
    await store.cleanup();
    await folder.remove();
  });
  const use = async (database: TestDatabase): Promise<void> => {
    store = database;
    const { options } = store;
    await writeConfig(folder.path, {
      database:
        options.engine === 'sqlite' ? { path: options.path } : { engine: 'postgresql', url: options.url },
    });
  };
  const useEmpty = async (): Promise<void> => {
    await store.cleanup();
    await use(await createEmptyDatabase(engine));
  };
  const run = (...args: string[]) => runHere([...args, '-c', 'config.yaml'], { cwd: folder.path });
  const runProcess = (...args: string[]) => vidimus([...args, '-c', 'config.yaml'], { cwd: folder.path });
  const useDatabase = async <T>(work: (database: Database) => Promise<T>): Promise<T> => {
    const database = await openDatabase(store.options, createLogger({ level: 'silent' }));
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  };

  it('what commands change is in the audit table', async () => {
    const code = await run('admin', 'sign-in-code', '--role', 'viewer');

    const [event] = await useDatabase(({ client }) => client.auditEvent.findMany());
    expect(event).toMatchObject({
      action: 'createSignInCode',
      outcome: 'ok',
      method: 'command',
      role: 'admin',
    });
    expect(event?.actor).toMatch(/^command line/);
    expect(event?.requestId).toMatch(/^[\w-]{12}$/);
    expect(JSON.stringify([event?.summary, event?.detail])).not.toContain(code.stdout.trim());
  });

  it('tells pending migrations from an up-to-date database by exit code and JSON', async () => {
    await useEmpty();
    const before = await run('db', 'status', '--json');
    expect(before.code).toBe(1);
    expect(JSON.parse(before.stdout)).toMatchObject({ engine, state: 'pending', applied: [], unknown: [] });
    expect(store.options.engine === 'sqlite' && existsSync(store.options.path)).toBe(false);

    const migrated = await runProcess('db', 'migrate', '--json');
    const { pending } = JSON.parse(before.stdout) as { pending: string[] };
    expect(pending.length).toBeGreaterThan(0);
    expect(migrated.code).toBe(0);
    expect(JSON.parse(migrated.stdout)).toEqual({ applied: pending });
    expect(await run('db', 'migrate')).toMatchObject({ code: 0, stdout: 'Nothing to do: up to date.\n' });
    const after = await run('db', 'status');
    expect(after).toMatchObject({ code: 0, stdout: expect.stringMatching(/up to date\.\n$/) });
    expect(after.stdout).not.toMatch(/vidimus:[^@]*@/);
  });

  it('refuses a database of another version everywhere, exit code 1', async () => {
    await useDatabase(
      (database) => database.client.$executeRaw`UPDATE _prisma_migrations SET migration_name = '29990101_x'`,
    );

    const status = await run('db', 'status', '--json');
    expect(status.code).toBe(1);
    expect(JSON.parse(status.stdout)).toMatchObject({ state: 'other_version', unknown: ['29990101_x'] });
    for (const args of [
      ['db', 'migrate'],
      ['admin', 'sign-in-code'],
    ]) {
      expect(await run(...args)).toMatchObject({ code: 1, stderr: expect.stringMatching(/another version/) });
    }
  });

  it('asks for migrations before codes are made, exit code 1', async () => {
    await useEmpty();
    const { code, stderr } = await run('admin', 'sign-in-code');

    expect(code).toBe(1);
    const where =
      store.options.engine === 'sqlite' ? store.options.path : new URL(store.options.url).pathname;
    expect(stderr).toContain(`${where}. Start the server once, or run "vidimus db migrate"; `);
    expect(stderr).toMatch(/^vidimus: There is no database yet: /);
  });

  it('makes a one-time code that signs in with its role and name, and prints nothing else for scripts', async () => {
    const says = ['--role', 'operator', '--name', 'ana'];
    const { code, stdout, stderr } = await runProcess('admin', 'sign-in-code', ...says);

    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^(?:[2-9A-Z]{4}-){2}[2-9A-Z]{4}\n$/),
    });
    expect(stderr).toMatch(/^For ana in the role operator, once, until /);
    const use = () => useDatabase((database) => new SignInCodes(database, systemClock).use(stdout.trim()));
    expect([await use(), await use()]).toEqual([{ role: 'operator', actor: 'ana' }, null]);
  });
});

describe('a database that cannot be reached', () => {
  it.each([
    { words: 'db status', run: vidimus },
    { words: 'db migrate', run: runHere },
    { words: 'admin sign-in-code', run: runHere },
  ])('ends $words with exit code 3 and a sentence without the password', async ({ words, run }) => {
    const folder = await temporaryFolder();
    await writeConfig(folder.path, { database: DOWN });

    const { code, stderr } = await run([...words.split(' '), '-c', 'config.yaml'], { cwd: folder.path });
    await folder.remove();

    expect(code).toBe(3);
    expect(stderr).toMatch(
      /^vidimus: Nothing answers at the address of the database: \S*127\.0\.0\.1:1\/\w+\. \S.*\n$/,
    );
    expect(stderr).not.toContain('hunter2');
  });
});
