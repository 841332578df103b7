import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

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
import { makeDatabase, temporaryFolder, vidimus, writeConfig } from './vidimus.js';

const DOWN = { engine: 'postgresql', url: 'postgresql://u:hunter2@127.0.0.1:1/none' };

describe.each(testEngines())('vidimus admin on %s', (engine) => {
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

  it('makes no database, exit code 1', async () => {
    await useEmpty();
    const { code, stderr } = await run('admin', 'sign-in-code');

    expect(code).toBe(1);
    const where =
      store.options.engine === 'sqlite' ? store.options.path : new URL(store.options.url).pathname;
    expect(stderr).toContain(`${where}. Start the server once to create it`);
    expect(stderr).toMatch(/^vidimus: There is no database yet: /);
  });

  it.runIf(engine === 'postgresql')(
    'copies a SQLite database, and backs it up, with its audit log',
    async () => {
      await useEmpty();
      const path = join(folder.path, 'old.db');
      await makeDatabase(path);
      await writeFile(
        join(folder.path, 'old.yaml'),
        JSON.stringify({ server_name: 'notary.test', database: { path } }),
      );
      const { stdout: code } = await runHere(['admin', 'sign-in-code', '-c', 'old.yaml'], {
        cwd: folder.path,
      });

      const backup = ['db', 'backup', '-c', 'old.yaml', '--output', 'backup.db'];
      const [backedUp, again] = [
        await vidimus(backup, { cwd: folder.path }),
        await runHere(backup, { cwd: folder.path }),
      ];
      const copied = await runHere(['db', 'copy', '--from', 'old.yaml', '--to', 'config.yaml'], {
        cwd: folder.path,
      });

      expect(backedUp).toMatchObject({ code: 0, stdout: expect.stringMatching(/^backup\.db, \d+ bytes\. /) });
      expect(again).toMatchObject({ code: 1, stderr: 'vidimus: backup.db exists already.\n' });
      expect(copied).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+ rows copied\. /) });
      const used = await useDatabase((database) => new SignInCodes(database, systemClock).use(code.trim()));
      expect(used).toMatchObject({ role: 'admin' });
      const actions = await useDatabase(({ client }) =>
        client.auditEvent.findMany({ orderBy: { id: 'asc' } }),
      );
      expect(actions.map(({ action }) => action)).toEqual(['createSignInCode', 'copyDatabase']);
    },
  );

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

it('a database that cannot be reached ends a command with exit code 3 and a sentence without the password', async () => {
  const folder = await temporaryFolder();
  await writeConfig(folder.path, { database: DOWN });

  const { code, stderr } = await vidimus(['admin', 'sign-in-code', '-c', 'config.yaml'], {
    cwd: folder.path,
  });
  await folder.remove();

  expect(code).toBe(3);
  expect(stderr).toMatch(
    /^vidimus: Nothing answers at the address of the database: \S*127\.0\.0\.1:1\/\w+\. \S.*\n$/,
  );
  expect(stderr).not.toContain('hunter2');
});
