import { existsSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { SignInCodes } from '../../src/core/access/operators/sign-in-codes.js';
import { AccessTokenStore } from '../../src/core/access/users/access-token-store.js';
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

const DAY_MS = 86_400_000;
const DOWN = { engine: 'postgresql', url: 'postgresql://u:hunter2@127.0.0.1:1/none' };

describe.each(testEngines())('vidimus db and token on %s', (engine) => {
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

  it('what commands change is in the audit table, what they fail to change too', async () => {
    const made = JSON.parse((await run('token', 'create', '-s', 'metrics', '--json')).stdout) as {
      id: string;
    };
    await run('token', 'revoke', made.id);
    await run('token', 'revoke', made.id);
    const code = await run('admin', 'sign-in-code', '--role', 'viewer');
    await run('job', 'run', 'preview_cleanup');
    await run('cache', 'clear');
    await run('key', 'delete', 'example.org');
    await run('key', 'refresh', 'notary.test:0');
    await run('token', 'list');

    const events = await useDatabase(({ client }) => client.auditEvent.findMany({ orderBy: { id: 'asc' } }));
    expect(events.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
      'createApiToken ok',
      'revokeApiToken ok',
      'revokeApiToken failed',
      'createSignInCode ok',
      'runJob ok',
      'deletePreviews ok',
      'deleteKeyRecords ok',
    ]);
    const [first] = events;
    expect(first).toMatchObject({ method: 'command', role: 'admin', targetId: made.id, address: null });
    expect(first?.actor).toMatch(/^command line/);
    expect(first?.requestId).toMatch(/^[\w-]{12}$/);
    const said = events.map(({ summary, detail }) => JSON.stringify([summary, detail])).join();
    expect(said).not.toContain(code.stdout.trim());
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
      ['token', 'list'],
    ]) {
      expect(await run(...args)).toMatchObject({ code: 1, stderr: expect.stringMatching(/another version/) });
    }
  });

  it('asks for migrations before tokens are made, exit code 1', async () => {
    await useEmpty();
    const { code, stderr } = await run('token', 'create', '--user', '@alice:example.org');

    expect(code).toBe(1);
    const where =
      store.options.engine === 'sqlite' ? store.options.path : new URL(store.options.url).pathname;
    expect(stderr).toContain(`${where}. Start the server once, or run "vidimus db migrate"; `);
    expect(stderr).toMatch(/^vidimus: There is no database yet: /);
  });

  it('makes a token that works until it is revoked', async () => {
    const says = ['-u', '@alice:example.org', '-l', 'laptop', '-e', '30d', '--json'];
    const made = await run('token', 'create', ...says);
    expect(made.code).toBe(0);
    const { token, ...row } = JSON.parse(made.stdout) as Record<string, unknown> & {
      token: string;
      id: string;
    };
    expect(row).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{12}$/),
      scopes: ['preview'],
      hint: token.slice(0, 8),
      created_by: 'cli',
      user_id: '@alice:example.org',
      label: 'laptop',
      state: 'active',
      created_ts: expect.any(Number),
      expires_ts: expect.any(Number),
      last_used_ts: null,
      revoked_ts: null,
    });
    expect(Number(row['expires_ts']) - Number(row['created_ts'])).toBeGreaterThan(29.9 * DAY_MS);
    expect(Number(row['expires_ts']) - Number(row['created_ts'])).toBeLessThan(30.1 * DAY_MS);
    const findValid = () =>
      useDatabase((database) => new AccessTokenStore(database, systemClock).findValid(token));
    expect(await findValid()).toMatchObject({ userId: '@alice:example.org' });

    const listed = await run('token', 'list', '--json');
    expect(JSON.parse(listed.stdout)).toEqual([row]);
    expect(listed.stdout).not.toContain(token);

    expect(await run('token', 'revoke', row.id)).toMatchObject({ code: 0, stdout: `Revoked: ${row.id}\n` });
    expect(await findValid()).toBeNull();
    expect((await run('token', 'revoke', row.id)).code).toBe(1);
    expect((await run('token', 'list')).stdout).toMatch(/@alice:example\.org +revoked/);
  });

  it('makes a token for operators, which belongs to no user and asks for no previews', async () => {
    const made = await run('token', 'create', '--scope', 'admin', '--scope', 'metrics', '--json');

    const row = JSON.parse(made.stdout) as { token: string };
    expect(row).toMatchObject({ scopes: ['admin_write', 'metrics'], user_id: null });
    expect((await run('token', 'list')).stdout).toMatch(/admin_write,metrics +— +active/);
  });

  it('makes a one-time code that signs in with its role and name, and prints nothing else for scripts', async () => {
    const says = ['--role', 'operator', '--name', 'ana'];
    const { code, stdout, stderr } = await runProcess('admin', 'sign-in-code', ...says);

    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^(?:[2-9A-Z]{4}-){2}[2-9A-Z]{4}\n$/),
    });
    expect(stderr).toMatch(/^For ana in the role operator, once, until /);
    const use = () => useDatabase((database) => new SignInCodes(database, systemClock, 1).use(stdout.trim()));
    expect([await use(), await use()]).toEqual([{ role: 'operator', actor: 'ana' }, null]);
  });

  it('prints nothing but the token on standard output, for scripts', async () => {
    const { stdout } = await runProcess('token', 'create', '-u', '@alice:example.org');

    expect(stdout).toMatch(/^vid_[A-Za-z0-9_-]{32}\n$/);
  });
});

describe('a database that cannot be reached', () => {
  it.each([
    { words: 'db status', run: vidimus },
    { words: 'db migrate', run: runHere },
    { words: 'token list', run: runHere },
    { words: 'token create --user @a:example.org', run: runHere },
    { words: 'admin sign-in-code', run: runHere },
  ])('ends $words with exit code 3 and a sentence without the password', async ({ words, run }) => {
    const folder = await temporaryFolder();
    await writeConfig(folder.path, { database: DOWN });

    const { code, stderr } = await run([...words.split(' '), '-c', 'config.yaml'], { cwd: folder.path });
    await folder.remove();

    expect(code).toBe(3);
    expect(stderr).toMatch(
      /^vidimus: Nothing listens at the address of the database \(connection refused\): \S*127\.0\.0\.1:1\/\w+\. \S.*\n$/,
    );
    expect(stderr).not.toContain('hunter2');
  });
});
