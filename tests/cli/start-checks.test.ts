import { existsSync } from 'node:fs';
import { chmod, chown, cp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { LogKey } from '@vidimus/tlog';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { openDatabase } from '../../src/core/store/db.js';
import { createLogger } from '../../src/core/base/logger.js';
import { createTestAuthority, startRemoteServer } from '../support/origins/remote-server.js';
import { page, startRemoteSite } from '../support/origins/remote-site.js';
import { createTestDatabase } from '../support/store/databases.js';
import { runHere } from './in-process.js';
import { startVidimus, temporaryFolder, vidimus, writeConfig, type Running } from './vidimus.js';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let served: Awaited<ReturnType<typeof temporaryFolder>>;
const undo: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  served = await temporaryFolder();
  await writeConfig(served.path);
  const running = startVidimus(['serve', '-c', 'config.yaml'], { cwd: served.path });
  await running.log('ready');
  await stop(running);
});
afterAll(() => served.remove());
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
  await folder.remove();
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

  it('that a group of our own may read are a warning', async () => {
    await writeKey('own.key', 'one', 0o640);
    await chown(inFolder('own.key'), process.getuid?.() ?? 0, process.getgid?.() ?? 0);
    await writeConfig(folder.path, { signing_key_path: 'own.key' });
    const { code, stderr } = await check();
    expect(stderr).toMatch(/^warning: .*own\.key has mode 0640\. Nobody else is in its group/);
    expect(code).toBe(0);
    const running = await serve();
    expect(running.stdout()).toContain('Nobody else is in its group');
  });

  it('that is still to be made is none', async () => {
    await writeConfig(folder.path);
    expect(await check()).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(inFolder('data'))).toBe(false);
  });

  it('that vouch for one another are refused', async () => {
    await writeKey('own.key', 'one', 0o600);
    await writeKey('notary.key', 'two', 0o600);
    await writeConfig(folder.path, {
      signing_key_path: 'own.key',
      key_server_signing_keys_path: 'notary.key',
    });
    const sentence = /holds ed25519:two, which signing_key_path does not/;
    expect(await refusal(sentence)).toEqual(matching(sentence));
  });

  it('with a key that is configured as old, too, are refused', async () => {
    await writeServed();
    const [, version = ''] = (await readFile(inFolder('data/signing.key'), 'utf8')).split(' ');
    const old = { key: 'A'.repeat(43), expired_ts: 1 };
    await writeConfig(folder.path, { old_signing_keys: { [`ed25519:${version}`]: old } });
    const sentence = new RegExp(`ed25519:${version} stands both`);
    expect(await refusal(sentence)).toEqual(matching(sentence));
  });
});

describe('files of oEmbed providers', () => {
  it('that are missing or no list are refused with their lines', async () => {
    await writeFile(inFolder('broken.json'), '{"no": "list"}');
    await writeConfig(folder.path, { oembed: { additional_providers: ['gone.json', 'broken.json'] } });
    const sentence =
      /config\.yaml:\d+:\d+ {2}oembed\.additional_providers\[0\]: .*does not exist: \S*gone\.json[^]*:\d+ {2}oembed\.additional_providers\[1\]: .*no list of providers .*broken\.json/;
    const { codes, said } = await refusal(sentence);
    expect(codes).toEqual([2, 2]);
    expect(said).toEqual(matching(sentence).said);
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
    ['that is cut short', 'The file is not an SQLite database, or damaged', null],
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
      new RegExp(`is in use by process ${first.child.pid} on .*two servers on one SQLite file`),
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
      /signing\.key does not exist, but the database knows ed25519:a_\w{5}, .*Put the file back.*keys generate/;
    expect(await refusal(sentence)).toEqual(matching(sentence));
    expect(existsSync(keyPath())).toBe(false);

    const made = await runHere(['keys', 'generate', '-c', 'config.yaml'], { cwd: folder.path });
    expect(made.code).toBe(0);
    await serve();
  });

  it('is not changed on a filled database', async () => {
    await writeServed();
    await writeConfig(folder.path, { server_name: 'other.test' });
    const sentence = /database belongs to the server notary\.test, and server_name is other\.test now/;
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
      /belongs to the server one\.example, and server_name is two\.example now.*another database, media_store_path and log\.key_path/;
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

  it('of a trial is followed by one of its own', async () => {
    await writeKey('homeserver.key', 'home', 0o600);
    await named('localhost');
    await stop(await serve());
    await named('one.example');
    await stop(await serve());
    await named('localhost');
    expect((await check()).stderr).toMatch(/belongs to the server one\.example/);
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
      /log\.key does not exist, but the database holds the log notary\.test\/.*Put the file back/;
    expect(await refusal(missing)).toEqual(matching(missing));
    expect(existsSync(keyPath())).toBe(false);

    const other = new LogKey('notary.test/_svc/vidimus/v1/log', Buffer.alloc(32, 1)).secretText();
    await writeFile(keyPath(), other, { mode: 0o600 });
    const wrong = /log\.key holds the key of the log .*and the database holds the log/;
    expect(await refusal(wrong)).toEqual(matching(wrong));

    await writeFile(keyPath(), own);
    await writeConfig(folder.path, { log: { origin: 'other.test/log' } });
    const renamed = /log\.origin is other\.test\/log, and the key of the log was made for notary\.test/;
    expect(await refusal(renamed)).toEqual(matching(renamed));
    await writeConfig(folder.path);
    await serve();
  });

  it('is named by what is public, and neither needed nor made without a log', async () => {
    await writeConfig(folder.path, { log: { enabled: false } });
    await stop(await serve());
    expect(existsSync(keyPath())).toBe(false);
    await writeConfig(folder.path, {
      public_baseurl: 'https://keys.test:444/sub/',
      log: { key_path: 'own/log.key' },
    });
    await stop(await serve());
    expect(await readFile(inFolder('own/log.key'), 'utf8')).toMatch(
      /\+keys\.test:444\/sub\/_svc\/vidimus\/v1\/log\+/,
    );
  });
});

describe('a trial', () => {
  it("ends with a configuration of one's own, its token with it", async () => {
    const listeners = '[{port: 0, resources: [previews, health]}]';
    const trial = startVidimus(['serve'], { cwd: folder.path, env: { VIDIMUS__LISTENERS: listeners } });
    const token = await new Promise<string>((resolve) => {
      trial.child.stderr?.on('data', () => {
        const [found] = /\bvid_[\w-]{32}(?=\s)/.exec(trial.stderr()) ?? [];
        if (found !== undefined) resolve(found);
      });
    });
    const ask = async (running: Running) => {
      const url = `${await running.url('previews')}/_svc/media/v3/preview_url`;
      return (await fetch(url, { headers: { Authorization: `Bearer ${token}` } })).status;
    };
    expect(await ask(trial)).toBe(400);
    await stop(trial);

    await writeConfig(folder.path, { listeners: [{ port: 0, resources: ['previews'] }] });
    const running = await serve();
    expect(await ask(running)).toBe(401);
    expect((await stat(inFolder('data/signing.key'))).isFile()).toBe(true);
  });
});

describe('a homeserver beside us', () => {
  it('with our name and other keys is refused, before there is a database', async () => {
    const homeserver = await startRemoteSite();
    undo.push(() => homeserver.close());
    const record = { server_name: 'notary.test', verify_keys: { 'ed25519:home': { key: 'A'.repeat(43) } } };
    homeserver.pages.set('/_matrix/key/v2/server', page(JSON.stringify(record)));
    await writeKey('own.key', 'one', 0o600);
    await writeConfig(folder.path, {
      dialect: 'matrix',
      auth: { homeserver_url: homeserver.url('/') },
      signing_key_path: 'own.key',
    });
    const sentence = /homeserver is called notary\.test too and does not publish ed25519:one/;
    const { code, stderr } = await serveToItsEnd();
    expect([code, stderr]).toEqual([1, expect.stringMatching(sentence)]);
  });

  it('that is not named is looked for by our name: with other keys it is refused', async () => {
    const authority = await createTestAuthority();
    const remote = await startRemoteServer(authority, { validUntilTs: Date.now() + 3_600_000 });
    undo.push(
      () => authority.remove(),
      () => remote.origin.close(),
    );
    const keysAlone = { dialect: 'matrix', listeners: [{ port: 0, resources: ['keys'] }] };
    const found = {
      ...keysAlone,
      server_name: remote.serverName,
      federation_custom_ca_list: [authority.caPath],
      ip_range_whitelist: ['127.0.0.1'],
    };
    await writeConfig(folder.path, found);
    const sentence = /found by the name 127\S+ and does not publish a key that is made/;
    const { code, stderr } = await serveToItsEnd();
    expect([code, stderr]).toEqual([1, expect.stringMatching(sentence)]);
    expect(existsSync(inFolder('data/signing.key'))).toBe(false);
  });
});
