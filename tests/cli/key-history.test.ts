import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { DAY_MS } from '../../src/core/base/clock.js';
import { createLogger } from '../../src/core/base/logger.js';
import { acceptKeyRecord } from '../../src/core/notary/key-record/key-record.js';
import { KeyStore } from '../../src/core/notary/keys/key-store.js';
import { openDatabase } from '../../src/core/store/db.js';
import { makeKeyRecord } from '../support/origins/key-record-maker.js';
import { K1 } from '../support/origins/record-recipes.js';
import { createTestDatabase, type TestDatabase } from '../support/store/databases.js';
import { runHere } from './in-process.js';
import { temporaryFolder, vidimus, writeConfig } from './vidimus.js';

const POLICY = { requireAllKeysSigned: false, bannedPublicKeys: new Set<string>(), maxKeys: 1000 };
const SERVER_NAME = 'example.org';
const FILE = 'history.jsonl';

describe('vidimus key history', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let store: TestDatabase;
  let publicKey: string;

  beforeAll(async () => {
    folder = await temporaryFolder();
    store = await createTestDatabase('sqlite');
    const { options } = store;
    if (options.engine !== 'sqlite') throw new Error('not SQLite');
    const made = await run('keys', 'generate', '--output', 'signing.key', '--json');
    const key = JSON.parse(made.stdout) as { key_id: string; public_key: string };
    publicKey = `${key.key_id}:${key.public_key}`;
    await writeConfig(folder.path, { database: { path: options.path }, signing_key_path: 'signing.key' });
    const database = await openDatabase(options, createLogger({ level: 'silent' }));
    const published = makeKeyRecord({ serverName: SERVER_NAME, keys: [K1], validUntilTs: 9_000_000 });
    const fetched = { record: acceptKeyRecord(published, SERVER_NAME, POLICY), published, fetchedTs: 1000 };
    await database.plain.transaction((runner) => new KeyStore(database).saveAll(runner, [fetched]));
    await database.close();
  });
  afterAll(async () => {
    await store.cleanup();
    await folder.remove();
  });
  const run = (...args: string[]) => runHere(args, { cwd: folder.path });

  it('export writes a file that check finds right, and never over an old one', async () => {
    const config = ['-c', 'config.yaml'];
    expect(await run('key', 'history', 'export', SERVER_NAME, '-o', FILE, ...config)).toMatchObject({
      code: 0,
    });
    const again = await run('key', 'history', 'export', SERVER_NAME, '-o', FILE, ...config);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('never overwritten')]);
    const unknown = await run('key', 'history', 'export', 'never.example', ...config);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('Nothing is known')]);

    const checked = await run('key', 'history', 'check', FILE);
    expect(checked).toMatchObject({ code: 0, stderr: '' });
    expect(checked.stdout).toContain('records   1, each signed by its server');
    expect(checked.stdout).toContain(`signed    ${publicKey}`);
    expect(checked.stdout).toContain('for you to compare');
  });

  it.each([
    ['key history export', ['key', 'history', 'export', SERVER_NAME]],
    ['key export', ['key', 'export']],
  ])('"%s" signs nothing by a clock that cannot be right, and writes nothing', async (_name, command) => {
    const hook = join(folder.path, 'hook.mjs');
    await writeFile(hook, `const { now } = Date; Date.now = () => now() + ${20 * 365 * DAY_MS};`);
    const env = { NODE_OPTIONS: `--import=${hook}` };
    const refused = await vidimus([...command, '-c', 'config.yaml', '-o', 'late.jsonl'], {
      cwd: folder.path,
      env,
    });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('clock of this server')]);
    expect(existsSync(join(folder.path, 'late.jsonl'))).toBe(false);
  });

  it.each([
    ['key history export', ['key', 'history', 'export', SERVER_NAME]],
    ['key export', ['key', 'export']],
  ])('"%s" writes nothing where the audit table cannot tell of it', async (_name, command) => {
    const database = await openDatabase(store.options, createLogger({ level: 'silent' }));
    await database.client.$executeRawUnsafe(
      "CREATE TRIGGER full BEFORE INSERT ON audit_event BEGIN SELECT RAISE(ABORT, 'read-only'); END",
    );
    const refused = await run(...command, '-c', 'config.yaml', '-o', 'untold.jsonl');
    await database.client.$executeRawUnsafe('DROP TRIGGER full');
    await database.close();
    expect(refused.code).not.toBe(0);
    expect(existsSync(join(folder.path, 'untold.jsonl'))).toBe(false);
  });

  it('check compares the key that signed with one that is known', async () => {
    const known = await run('key', 'history', 'check', FILE, '--key', publicKey, '--json');
    expect(known.code).toBe(0);
    expect(JSON.parse(known.stdout)).toMatchObject({
      server_name: SERVER_NAME,
      records: 1,
      key_was_given: true,
    });
    const other = await run('key', 'history', 'check', FILE, '--key', `ed25519:a:${K1.publicKey}`);
    expect([other.code, other.stderr]).toEqual([
      1,
      expect.stringContaining('not signed by the key ed25519:a'),
    ]);
    expect((await run('key', 'history', 'check', FILE, '--key', 'ed25519:a')).code).toBe(2);
  });

  it('check names the line of a file that proves nothing, exit code 1, and 2 for one that is not there', async () => {
    const text = await readFile(join(folder.path, FILE), 'utf8');
    await writeFile(
      join(folder.path, 'changed.jsonl'),
      text.replace('"last_seen_ts":1000', '"last_seen_ts":1001'),
    );
    const changed = await run('key', 'history', 'check', 'changed.jsonl');
    expect([changed.code, changed.stderr]).toEqual([
      1,
      expect.stringMatching(/Line \d+: the lines before it/),
    ]);
    expect((await run('key', 'history', 'check', 'missing.jsonl')).code).toBe(2);
  });
});
