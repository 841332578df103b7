import { existsSync } from 'node:fs';
import { chmod, cp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { LogKey } from '@vidimus/tlog';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';

import { openDatabase } from '../../src/core/store/db.js';
import { createLogger } from '../../src/core/base/logger.js';
import { createTestDatabase } from '../support/store/databases.js';
import { runHere } from './in-process.js';
import { startVidimus, temporaryFolder, vidimus, writeConfig, type Running } from './vidimus.js';
import { setUp, setUpEach } from '../support/set-up.js';

const folder = setUpEach(temporaryFolder);
const served = setUp(temporaryFolder);
const undo: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  await writeConfig(served.path);
  const running = startVidimus(['serve', '-c', 'config.yaml'], { cwd: served.path });
  await running.log('ready');
  await stop(running);
});
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

const inFolder = (name: string) => join(folder.path, name);
const check = () => runHere(['config', 'check', '-c', 'config.yaml'], { cwd: folder.path });
const serveToItsEnd = () => vidimus(['serve', '-c', 'config.yaml'], { cwd: folder.path });
async function serve(): Promise<Running> {
  const running = startVidimus(['serve', '-c', 'config.yaml'], { cwd: folder.path });
  undo.push(async () => {
    running.child.kill('SIGKILL');
    await running.finished;
  });
  await running.log('ready');
  return running;
}
async function stop(running: Running): Promise<void> {
  running.child.kill('SIGTERM');
  await running.finished;
}
/** As the first start on these settings left it: keys, and a database that knows them. */
async function writeServed(): Promise<void> {
  await writeConfig(folder.path);
  await cp(join(served.path, 'data'), inFolder('data'), { recursive: true });
}
async function writeKey(name: string, version: string, mode: number): Promise<void> {
  await writeFile(inFolder(name), `ed25519 ${version} ${version.padEnd(43, 'A')}\n`);
  await chmod(inFolder(name), mode);
}

/** How `config check` and the start end, and whether both say a sentence. */
async function refusal(sentence: RegExp) {
  const checked = await check();
  const started = await serveToItsEnd();
  return {
    codes: [checked.code, started.code],
    said: [checked.stderr, started.stderr].map((text) => sentence.exec(text)?.[0] ?? text),
  };
}
const matching = (sentence: RegExp) => ({
  codes: [2, 1],
  said: [expect.stringMatching(sentence), expect.stringMatching(sentence)],
});

describe('key files', () => {
  it('that others can read are told, each of them', async () => {
    await writeKey('own.key', 'one', 0o644);
    await writeKey('notary.key', 'two', 0o604);
    await writeConfig(folder.path, {
      signing_key_path: 'own.key',
      key_server_signing_keys_path: 'notary.key',
    });
    const sentence =
      /signing_key_path: Signing key file \S+own\.key has mode 0644[^]*key_server_signing_keys_path: .*notary\.key has mode 0604/;
    const { code, stderr } = await check();
    expect(stderr).toMatch(sentence);
    expect(stderr).toMatch(/config\.yaml:\d+ {2}signing_key_path/);
    expect(code).toBe(2);
    const started = await serveToItsEnd();
    expect(started.stderr).toMatch(/own\.key has mode 0644[^]*notary\.key has mode 0604/);
    expect(started.code).toBe(1);
  });

  it('that is still to be made is none', async () => {
    await writeConfig(folder.path);
    expect(await check()).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(inFolder('data'))).toBe(false);
  });

  it('with a key that is configured as old, too, are refused', async () => {
    await writeServed();
    const [, version = ''] = (await readFile(inFolder('data/signing.key'), 'utf8')).split(' ');
    const old = { key: 'A'.repeat(43), expired_ts: 1 };
    await writeConfig(folder.path, { old_signing_keys: { [`ed25519:${version}`]: old } });
    const sentence = new RegExp(`ed25519:${version} is both`);
    expect(await refusal(sentence)).toEqual(matching(sentence));
  });
});

describe('the database', () => {
  it('of another version is refused', async () => {
    const { options, cleanup } = await createTestDatabase('sqlite');
    undo.push(cleanup);
    const database = await openDatabase(options, createLogger({ level: 'silent' }));
    await database.client.$executeRaw`UPDATE _prisma_migrations SET migration_name = '29990101_x'`;
    await database.close();
    await writeConfig(folder.path, { database: options });
    const sentence = /made by another version .*29990101_x/;
    expect(await refusal(sentence)).toEqual(matching(sentence));
  });

  it.each([
    [
      'that is of something else',
      'The file is not an SQLite database, or damaged',
      'no database at all '.repeat(500),
    ],
  ])('%s is refused', async (_which, sentence, content) => {
    await writeServed();
    const file = inFolder('data/vidimus.db');
    await writeFile(file, content ?? (await readFile(file)).subarray(0, 20_000));

    const { code, stderr } = await check();

    expect(stderr).toContain(sentence);
    expect(code).toBe(2);
    expect(await serveToItsEnd()).toMatchObject({ code: 1, stderr: expect.stringContaining(sentence) });
  });

  it('has one server on SQLite: the second is refused, naming the first, until that is gone', async () => {
    await writeConfig(folder.path);
    const first = await serve();
    const { code, stderr } = await serveToItsEnd();
    expect(stderr).toMatch(
      new RegExp(`is in use by process ${first.child.pid} on .*two servers cannot share an SQLite file`),
    );
    expect(code).toBe(1);
    expect(first.child.exitCode).toBeNull();
    first.child.kill('SIGKILL');
    await first.finished;
    await stop(await serve());
    expect(await check()).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('an identity', () => {
  const keyPath = () => inFolder('data/signing.key');

  it('is not made where the database knows another key', async () => {
    await writeServed();
    await rm(keyPath());
    const sentence =
      /signing\.key does not exist, but the database knows ed25519:a_\w{5}, .*Restore the file.*keys generate/;
    expect(await refusal(sentence)).toEqual(matching(sentence));
    expect(existsSync(keyPath())).toBe(false);

    const made = await runHere(['keys', 'generate', '-c', 'config.yaml'], { cwd: folder.path });
    expect(made.code).toBe(0);
    await serve();
  });

  it('is not changed on a filled database', async () => {
    await writeServed();
    await writeConfig(folder.path, { server_name: 'other.test' });
    const sentence = /database belongs to the server notary\.test, but server_name is other\.test/;
    expect(await refusal(sentence)).toEqual(matching(sentence));
  });
});

describe('a name', () => {
  const named = (serverName: string, settings: Record<string, unknown> = {}) =>
    writeConfig(folder.path, {
      server_name: serverName,
      key_server_signing_keys_path: 'homeserver.key',
      ...settings,
    });

  it('stays with its database where somebody else publishes its record, and the way out works', async () => {
    await writeKey('homeserver.key', 'home', 0o600);
    await named('one.example');
    await stop(await serve());
    await named('two.example');
    const sentence =
      /belongs to the server one\.example, but server_name is two\.example.*another database, media_store_path and log\.key_path/;
    expect(await refusal(sentence)).toEqual(matching(sentence));

    await named('two.example', {
      database: { engine: 'sqlite', path: 'two/vidimus.db' },
      media_store_path: 'two/media',
      log: { key_path: 'two/log.key' },
    });
    expect(await check()).toMatchObject({ code: 0, stderr: '' });
    await stop(await serve());
    await named('one.example');
    await serve();
  });
});

describe('the key of the log', () => {
  const keyPath = () => inFolder('data/log.key');

  it('is made beside the database, for its owner alone', async () => {
    await writeServed();
    expect((await stat(keyPath())).mode & 0o777).toBe(0o600);
    expect(await readFile(keyPath(), 'utf8')).toMatch(
      /^PRIVATE\+KEY\+notary\.test\/_svc\/vidimus\/v1\/log\+/,
    );
    await chmod(keyPath(), 0o644);
    const sentence = /Log key file \S+log\.key has mode 0644/;
    expect(await refusal(sentence)).toEqual(matching(sentence));
  });

  it('is not made anew where the database holds the log of another', async () => {
    await writeServed();
    const own = await readFile(keyPath(), 'utf8');
    await rm(keyPath());
    const missing =
      /log\.key does not exist, but the database holds the log notary\.test\/.*Restore the file/;
    expect(await refusal(missing)).toEqual(matching(missing));
    expect(existsSync(keyPath())).toBe(false);

    const other = new LogKey('notary.test/_svc/vidimus/v1/log', Buffer.alloc(32, 1)).secretText();
    await writeFile(keyPath(), other, { mode: 0o600 });
    const wrong = /log\.key holds the key of the log .*but the database holds the log/;
    expect(await refusal(wrong)).toEqual(matching(wrong));

    await writeFile(keyPath(), own);
    await writeConfig(folder.path, { log: { origin: 'other.test/log' } });
    const renamed = /log\.origin is other\.test\/log, but the log key was created for notary\.test/;
    expect(await refusal(renamed)).toEqual(matching(renamed));
    await writeConfig(folder.path);
    await serve();
  });
});
