import type { ServerResponse } from 'node:http';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { healthLine } from '../support/health-line.js';
import { ALSO_OURS, FILES, HOME, HOME_TOO, OURS } from '../support/key-file-pairs.js';
import { respondStatus } from '../support/origins/key-origin.js';
import type { AnsweredRecord } from '../support/clients/notary-client.js';
import { page, startRemoteSite, type RemoteSite } from '../support/origins/remote-site.js';
import {
  createTestAuthority,
  startRemoteServer,
  type RemoteServer,
} from '../support/origins/remote-server.js';
import { startTestService, type TestService } from '../support/service.js';
import { setUp } from '../support/set-up.js';

const HOUR_MS = 3_600_000;
const KEY_PATH = '/_matrix/key/v2/server';

const authority = setUp(createTestAuthority);
let folder: string;
/** What the federation reaches under the shared name. */
let home: RemoteServer;
/** The homeserver as we reach it beside us. */
let beside: RemoteSite;
let service: TestService | null = null;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vidimus-shared-'));
  for (const [name, keys] of Object.entries(FILES))
    await writeFile(join(folder, name), keys.map(({ line }) => line).join(''), { mode: 0o600 });
  const validUntilTs = 1_800_000_000_000 + 1000 * HOUR_MS;
  home = await startRemoteServer(authority, { keys: [HOME], validUntilTs });
  beside = await startRemoteSite();
  publish([HOME]);
});
afterEach(async () => {
  await service?.remove();
  service = null;
  await home.origin.close();
  await beside.close();
  await rm(folder, { recursive: true });
});

/** The homeserver publishes these keys, to the federation and to us. */
function publish(keys: (typeof HOME)[]): void {
  beside.pages.set(KEY_PATH, page(home.publish({ keys }), { type: 'application/json' }));
}

type Named = keyof typeof FILES | 'unset';
const fileOf = (name: Named) => (name === 'unset' ? undefined : join(folder, name));

async function start(
  own: Named,
  notary: Named,
  settings: Record<string, unknown> = {},
): Promise<TestService> {
  service = await startTestService({
    caPaths: [authority.caPath],
    settings: {
      dialect: 'matrix',
      server_name: home.serverName,
      auth: { homeserver_url: beside.url('/') },
      signing_key_path: fileOf(own),
      key_server_signing_keys_path: fileOf(notary),
      ...settings,
    },
  });
  return service;
}

async function ask(on: TestService, name = home.serverName, keyId = HOME.keyId) {
  const body = JSON.stringify({ server_keys: { [name]: { [keyId]: {} } } });
  const response = await fetch(`${on.url}/_matrix/key/v2/query`, { method: 'POST', body });
  const text = await response.text();
  const { server_keys: records } = JSON.parse(text) as { server_keys: AnsweredRecord[] };
  return { text, records };
}

async function statusOfOwn(on: TestService): Promise<number> {
  return (await fetch(`${on.url}${KEY_PATH}`)).status;
}

/** Our own record is not to be had, and health tells. */
async function expectWithheld(on: TestService, name: string): Promise<void> {
  const own = await fetch(`${on.url}${KEY_PATH}`);
  expect([own.status, own.headers.get('error-reason')]).toEqual([503, 'own_name_unsettled']);
  expect(Number(own.headers.get('retry-after'))).toBeGreaterThan(0);
  const ask = (asked: Record<string, object>) => {
    const body = JSON.stringify({ server_keys: asked });
    return fetch(`${on.url}/_matrix/key/v2/query`, { method: 'POST', body });
  };
  expect((await ask({ [name]: {} })).status).toBe(503);
  expect(await (await ask({ [name]: {}, 'other.test': {} })).json()).toEqual({ server_keys: [] });
  expect((await healthLine(on, 'own_keys'))?.state).toBe('failed');
}

/** What a proxy does. */
async function passOn(url: string, response: ServerResponse): Promise<void> {
  const answer = await fetch(url);
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
}

/** Both settings, and the keys that peers know of this notary. */
const SHARED: [own: Named, notary: Named, known: (typeof HOME)[]][] = [
  ['unset', 'home', [HOME]],
  ['unset', 'also', [ALSO_OURS]],
  ['home', 'unset', [HOME]],
  ['home', 'home', [HOME]],
  ['unset', 'homes', [HOME, HOME_TOO]],
];

describe('a name that a homeserver has, too', () => {
  it.each([
    ['unset', 'unset', /signing_key_path.*is missing; if server_name is the homeserver's/],
    [
      'ours',
      'unset',
      /is also called 127.* but does not publish ed25519:ours.*Set signing_key_path to the homeserver's/,
    ],
    ['ours', 'home', /holds ed25519:home, but signing_key_path does not.*remove signing_key_path/],
    ['homes', 'unset', /does not publish ed25519:home2/],
  ] as const)(
    'is refused with signing_key_path %s, key_server_signing_keys_path %s',
    async (own, notary, why) => {
      await expect(start(own, notary)).rejects.toThrow(why);
    },
  );

  it.each(SHARED)(
    'has its keys and no other with signing_key_path %s, key_server_… %s',
    async (own, notary, known) => {
      const { records } = await ask(await start(own, notary));
      expect(records.map((record) => record.verify_keys)).toEqual([
        { [HOME.keyId]: { key: HOME.publicKey } },
      ]);
      const signers = Object.keys(records[0]?.signatures[home.serverName] ?? {});
      expect(signers.toSorted()).toEqual([...new Set([HOME, ...known].map(({ keyId }) => keyId))].toSorted());
    },
  );

  it('is never fetched from ourselves: discovery that leads back here ends at once', async () => {
    const on = await start('unset', 'home');
    home.origin.respond = (request, response) => {
      void passOn(`${on.url}${request.url}`, response);
    };
    expect((await ask(on)).records).toEqual([]);
    expect(home.hits()).toBe(1);
    const own = await fetch(`${on.url}${KEY_PATH}`);
    expect(own.status).toBe(404);
    expect(await own.json()).toMatchObject({ errcode: 'M_NOT_FOUND' });
  });

  it('gets no key of ours as an old one, although the database knows it', async () => {
    const { database } = (await start('home', 'unset')).context.parts;
    const { keyId, publicKey } = OURS;
    await database.client.signingKey.create({ data: { keyId, publicKey, state: 'active', firstSeenTs: 1n } });
    service = await service!.restart();
    const { records } = await ask(service);
    expect(records).toHaveLength(1);
    expect(JSON.stringify(records)).not.toContain(publicKey);
  });

  it('gets no record of ours while the homeserver is silent, nor when it then has other keys', async () => {
    beside.pages.set(KEY_PATH, (_request, response) => response.writeHead(502).end());
    const on = await start('ours', 'unset');
    await expectWithheld(on, home.serverName);
    publish([HOME]);
    await expect.poll(() => on.logs.some(({ setting }) => setting === 'signing_key_path')).toBe(true);
    await expectWithheld(on, home.serverName);
    expect((await healthLine(on, 'own_keys'))?.message).toContain('does not publish ed25519:ours');
    expect(await on.context.parts.database.client.ownRecord.count()).toBe(0);
  });
});

describe('a name in the dialect of homeservers while none is named', () => {
  const unnamed = { auth: {} };
  const silent = respondStatus(404);

  it('is refused where it leads to a record without our keys', async () => {
    const why =
      /answers as 127\S+ but does not publish ed25519:ours.*Set signing_key_path to the homeserver's/;
    await expect(start('ours', 'unset', unnamed)).rejects.toThrow(why);
    const missing = { ...unnamed, signing_key_path: join(folder, 'made') };
    await expect(start('unset', 'unset', missing)).rejects.toThrow(
      /the key that would be created for signing_key_path/,
    );
    expect(existsSync(missing.signing_key_path)).toBe(false);
  });

  it('is published where it leads to a record with our keys', async () => {
    expect(await statusOfOwn(await start('home', 'unset', unnamed))).toBe(200);
  });

  it('gets no record of ours while it leads to none, nor when that then has other keys', async () => {
    home.origin.respond = silent;
    const on = await start('ours', 'unset', unnamed);
    await expectWithheld(on, home.serverName);
    expect((await healthLine(on, 'own_keys'))?.message).toMatch(/published as .*status 404/);
    publish([HOME]);
    await expect.poll(() => on.logs.some(({ setting }) => setting === 'signing_key_path')).toBe(true);
    await expectWithheld(on, home.serverName);
    expect(await on.context.parts.database.client.ownRecord.count()).toBe(0);
  });

  it('is published once it leads to this very service, and from then on without another look', async () => {
    home.origin.respond = silent;
    const on = await start('ours', 'unset', unnamed);
    await expectWithheld(on, home.serverName);
    home.origin.respond = (request, response) => {
      void passOn(`${on.url}${request.url}`, response);
    };
    await expect.poll(() => statusOfOwn(on)).toBe(200);
    const hits = home.hits();
    service = await on.restart({ signing_key_path: fileOf('both') });
    expect(await statusOfOwn(service)).toBe(200);
    expect(home.hits()).toBe(hits);
  });
});

const OWN = 'notary.test';
const ALONE: [own: Named, notary: Named, known: (typeof HOME)[]][] = [
  ['ours', 'unset', [OURS]],
  ['both', 'also', [ALSO_OURS]],
  ['ours', 'ours', [OURS]],
];

describe('a name of our own beside a homeserver', () => {
  it.each(ALONE)('is signed for with signing_key_path %s, key_server_… %s', async (own, notary, known) => {
    const on = await start(own, notary, { server_name: OWN });
    expect((await ask(on, OWN, OURS.keyId)).records).toHaveLength(1);
    const about = await ask(on);
    expect(Object.keys(about.records[0]?.signatures[OWN] ?? {})).toEqual(known.map(({ keyId }) => keyId));
  });

  it('is published once the homeserver, which starts later, has said that it has another', async () => {
    beside.pages.set(KEY_PATH, (_request, response) => response.writeHead(502).end());
    const on = await start('ours', 'unset', { server_name: OWN });
    await expectWithheld(on, OWN);
    expect((await ask(on)).records).toHaveLength(1);
    publish([HOME]);
    await expect.poll(() => statusOfOwn(on)).toBe(200);
    expect((await ask(on, OWN, OURS.keyId)).records).toHaveLength(1);
    expect((await healthLine(on, 'own_keys'))?.state).toBe('ok');
    const { ownRecord } = on.context.parts.database.client;
    await expect.poll(() => ownRecord.count({ where: { serverName: OWN } })).toBe(1);
  });

  it.each([404, 403, 200])('is published where the homeserver serves no keys but %i', async (status) => {
    beside.pages.set(KEY_PATH, (_request, response) => response.writeHead(status).end('<h1>no keys</h1>'));
    const on = await start('ours', 'unset', { server_name: OWN });
    expect(await statusOfOwn(on)).toBe(200);
  });

  it('goes on being published by a restart while the homeserver is away', async () => {
    const on = await start('ours', 'unset', { server_name: OWN });
    beside.pages.set(KEY_PATH, (_request, response) => response.writeHead(502).end());
    service = await on.restart();
    expect(await statusOfOwn(service)).toBe(200);
    expect((await healthLine(service, 'own_keys'))?.state).toBe('ok');
    expect((await ask(service, OWN, OURS.keyId)).records).toHaveLength(1);
  });
});
