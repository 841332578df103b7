import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';

import { afterAll, describe, expect, it } from 'vitest';

import { makeRoom, fillStore } from '../support/store/full-store.js';
import { getKeys, postKey, postKeys, type KeyAnswer } from '../support/clients/notary-client.js';
import { startRemoteServer, type RemoteServer } from '../support/origins/remote-server.js';
import { testEngines } from '../support/store/databases.js';
import { startPreviewKit, tagged } from './clients/preview/preview-kit.js';
import { setNotary } from '../support/world.js';

const HOUR_MS = 3_600_000;
const K1 = 'ed25519:k1';
const FULL = { errcode: 'M_UNKNOWN', error: 'The disk of the database is full' };
const TRIES = 60;

describe.each(testEngines())('while the disk of the database is full on %s', (engine) => {
  const { authority, service } = setNotary({ engine });
  const servers: RemoteServer[] = [];

  afterAll(() => Promise.all(servers.map(({ origin }) => origin.close())));

  async function newServer(): Promise<RemoteServer> {
    const server = await startRemoteServer(authority, { validUntilTs: service.clock.now() + 10 * HOUR_MS });
    servers.push(server);
    return server;
  }

  /** The first server whose record finds no room, and what it was answered with. */
  async function firstRefused(): Promise<{ server: RemoteServer; answer: KeyAnswer }> {
    for (let tried = 0; tried < TRIES; tried += 1) {
      const server = await newServer();
      const answer = await postKey(service.url, server.serverName);
      if (answer.status !== 200) return { server, answer };
      expect(answer.records).toHaveLength(1);
    }
    throw new Error('the disk never became full');
  }

  it('known keys are answered, stale ones too; what cannot be stored is 500, and comes once there is room', async () => {
    const known = await newServer();
    const { text } = await postKey(service.url, known.serverName);
    const { database } = service.context.parts;
    await fillStore(database);
    const { server, answer } = await firstRefused();

    expect([answer.status, JSON.parse(answer.text)]).toEqual([500, FULL]);
    expect(service.logs.find(({ reason }) => reason === 'disk_full')).toMatchObject({
      level: 'error',
      error: 'The disk of the database is full',
    });
    service.context.services.keys.cache.clear();
    expect((await getKeys(service.url, `query/${known.serverName}`)).text).toBe(text);
    service.clock.advance(9 * HOUR_MS);
    expect((await postKey(service.url, known.serverName)).text).toBe(text);
    const criteria = { [K1]: {} };
    const both = { [known.serverName]: criteria, [server.serverName]: criteria };
    expect((await postKeys(service.url, { server_keys: both })).status).toBe(500);
    expect((await fetch(`${service.url}/health/ready`)).status).toBe(200);

    await makeRoom(database);
    expect((await postKey(service.url, server.serverName)).records).toHaveLength(1);
  });
});

describe.each(testEngines())('a preview while the disk of the database is full on %s', (engine) => {
  it('is 500 with a clear log line, leaves no file without a row, and comes once there is room', async () => {
    const kit = await startPreviewKit({ engine });
    const { parts, config } = kit.service.context;
    await fillStore(parts.database);
    const refused: string[] = [];
    for (let tried = 0; tried < TRIES && refused.length < 5; tried += 1) {
      const path = `/${tried}/${'x'.repeat(1500)}`;
      const { status, body } = await kit.preview(kit.serve(path, tagged({ 'og:title': 'T' })));
      if (status === 200) continue;
      expect([status, body]).toEqual([500, FULL]);
      refused.push(path);
    }

    expect(refused).toHaveLength(5);
    expect(kit.service.logs.filter(({ reason }) => reason === 'disk_full')[0]).toMatchObject({
      level: 'error',
    });
    // With PostgreSQL nothing is loaded before the database has said whose turn it is.
    const store = config.media_store_path;
    const entries = existsSync(store) ? await readdir(store, { recursive: true, withFileTypes: true }) : [];
    const files = entries.filter((entry) => entry.isFile());
    expect(files).toHaveLength(await parts.database.client.media.count());

    await makeRoom(parts.database);
    expect((await kit.preview(refused[0]!)).body['og:title']).toBe('T');
    await kit.remove();
  });
});
