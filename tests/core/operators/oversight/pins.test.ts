import { afterEach, describe, expect, it } from 'vitest';

import { NO_ORIGINS } from '../../../../src/config/input/setting-origins.js';
import { HOUR_MS, MINUTE_MS } from '../../../../src/core/base/clock.js';
import { getKeys, postKey, postKeys } from '../../../support/clients/notary-client.js';
import { makeTestKey } from '../../../support/origins/key-record-maker.js';
import {
  createTestAuthority,
  startRemoteServer,
  type RemoteServer,
} from '../../../support/origins/remote-server.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { testEngines } from '../../../support/store/databases.js';

const clean: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const undo of clean.splice(0).toReversed()) await undo();
});

const NOTHING = '{"server_keys":[]}';
const pinOf = ({ serverName, key }: RemoteServer, mode: 'refuse' | 'report') => ({
  server_name: serverName,
  keys: { [key.keyId]: key.publicKey },
  mode,
});
const refresh = ({ context }: TestService, { serverName }: RemoteServer) =>
  context.services.keys.refresher.refreshNow(serverName);
const eventsOf = async ({ context }: TestService, { serverName }: RemoteServer) =>
  (
    await context.parts.database.client.keyEvent.findMany({ where: { serverName }, orderBy: { seq: 'asc' } })
  ).map(({ kind }) => kind);

describe.each(testEngines())('a pin, on %s', (engine) => {
  /** A service with a pin of a server's key. */
  const pinned = async (mode: 'refuse' | 'report', settings: object = {}) => {
    const authority = await createTestAuthority();
    clean.push(() => authority.remove());
    const remote = await startRemoteServer(authority, { validUntilTs: 1_800_000_000_000 + 24 * HOUR_MS });
    clean.push(() => remote.origin.close());
    const service = await startTestService({
      engine,
      caPaths: [authority.caPath],
      settings: { pins: [pinOf(remote, mode)], ...settings },
    });
    clean.push(() => service.remove());
    return { service, remote };
  };

  it('lets a record through that lists the pinned keys, or fewer', async () => {
    const { service, remote } = await pinned('refuse');
    const { records } = await postKey(service.url, remote.serverName);
    expect(records).toHaveLength(1);
    expect(await eventsOf(service, remote)).not.toContain('pin_contradicted');
  });

  it('judges a record of as many keys as the setting lets in', async () => {
    const { service, remote } = await pinned('refuse', {
      federation: { max_keys_per_record: 5000, max_key_record_size: '1M' },
    });
    const { key } = remote;
    const oldKeys = Array.from({ length: 4500 }, (_, index) => ({
      key: { ...key, keyId: `other:${index}` },
      expiredTs: 1,
    }));
    remote.publish({ keys: [key], oldKeys });
    expect(await postKey(service.url, remote.serverName)).toMatchObject({ status: 200 });
    const { text } = await getKeys(service.url, `query/${remote.serverName}`);
    expect(text).toContain('other:4499');
  });

  it.each([
    ['another key under the same ID', (remote: RemoteServer) => ({ keys: [makeTestKey('k1')], remote })],
    ['a further key', ({ key }: RemoteServer) => ({ keys: [key, makeTestKey('k2')] })],
    [
      'a further old key',
      ({ key }: RemoteServer) => ({ keys: [key], oldKeys: [{ key: makeTestKey('k0'), expiredTs: 1 }] }),
    ],
  ])('of mode refuse keeps %s from peers, stores it, and raises an alarm once', async (_what, change) => {
    const { service, remote } = await pinned('refuse');
    await postKey(service.url, remote.serverName);
    remote.publish(change(remote));
    await refresh(service, remote);
    await refresh(service, remote);

    for (const keyId of ['ed25519:k1', 'ed25519:k2', 'ed25519:k0'])
      expect((await postKey(service.url, remote.serverName, keyId)).text).toBe(NOTHING);
    expect((await getKeys(service.url, `query/${remote.serverName}`)).text).toBe(NOTHING);
    const events = await eventsOf(service, remote);
    expect(events.filter((kind) => kind === 'pin_contradicted')).toHaveLength(1);
    const { client } = service.context.parts.database;
    const row = await client.remoteServer.findUniqueOrThrow({ where: { serverName: remote.serverName } });
    expect(row.alarmSeq).not.toBeNull();
    expect(await client.keyRecord.count()).toBe(2);
    // What waits may be entered between the two counts.
    const logged = async () => (await client.logEntry.count()) + (await client.logQueue.count());
    await expect.poll(logged).toBe(2);
  });

  it('of mode report serves it, and raises the alarm', async () => {
    const { service, remote } = await pinned('report');
    await postKey(service.url, remote.serverName);
    remote.publish({ keys: [makeTestKey('k1')] });
    await refresh(service, remote);
    expect((await postKey(service.url, remote.serverName)).records).toHaveLength(1);
    expect(await eventsOf(service, remote)).toContain('pin_contradicted');
  });

  it('alarms about the very first record of a server, too', async () => {
    const { service, remote } = await pinned('refuse');
    remote.publish({ keys: [makeTestKey('k1')] });
    expect((await postKey(service.url, remote.serverName)).text).toBe(NOTHING);
    const { client } = service.context.parts.database;
    const row = await client.remoteServer.findUniqueOrThrow({ where: { serverName: remote.serverName } });
    expect(row.alarmSeq).not.toBeNull();
  });

  it('holds over a restart, and serves again what lists the pinned keys again', async () => {
    const { service, remote } = await pinned('refuse');
    remote.publish({ keys: [makeTestKey('k9')] });
    await postKey(service.url, remote.serverName, 'ed25519:k9');
    const again = await service.restart();
    clean.push(() => again.stop());
    expect((await postKey(again.url, remote.serverName, 'ed25519:k9')).text).toBe(NOTHING);
    remote.publish({ keys: [remote.key] });
    again.clock.advance(MINUTE_MS);
    expect((await postKey(again.url, remote.serverName)).records).toHaveLength(1);
  });

  it('set or removed by an operator holds at once for what is cached, whoever asked in the same bytes', async () => {
    const { service, remote } = await pinned('refuse', { pins: [] });
    const { oversight } = service.context.services.oversight;
    // Long enough, and often enough, to be answered from the cache of responses.
    const question = JSON.stringify({ server_keys: { [remote.serverName]: { 'ed25519:k1': {} } } });
    const ask = () => postKeys(service.url, question + ' '.repeat(2000));
    for (let time = 0; time < 4; time += 1) expect((await ask()).records).toHaveLength(1);
    const wrong = { ...pinOf(remote, 'refuse'), keys: { 'ed25519:k1': makeTestKey('k1').publicKey } };
    expect(await oversight.set('pin', wrong, 'ana')).toBeNull();
    expect((await ask()).text).toBe(NOTHING);
    expect(await oversight.remove('pin', remote.serverName)).toBeNull();
    expect((await ask()).records).toHaveLength(1);
  });

  it('that a reload takes out of the configuration or puts there holds at once', async () => {
    const { service, remote } = await pinned('refuse');
    const { config, services } = service.context;
    remote.publish({ keys: [makeTestKey('k1')] });
    expect((await postKey(service.url, remote.serverName)).text).toBe(NOTHING);
    const running = { sources: new Map(), origins: NO_ORIGINS };
    services.features.apply({ ...running, config: { ...config, pins: [] } });
    expect((await postKey(service.url, remote.serverName)).records).toHaveLength(1);
    services.features.apply({ ...running, config });
    expect((await postKey(service.url, remote.serverName)).text).toBe(NOTHING);
  });

  it('that refuses does not have every question fetch', async () => {
    const { service, remote } = await pinned('refuse', {
      federation: { throttle: { burst: 3, interval: '1h' } },
    });
    remote.publish({ keys: [makeTestKey('k1')] });
    for (let time = 0; time < 10; time += 1) await postKey(service.url, remote.serverName);
    expect(remote.hits()).toBeLessThanOrEqual(5);
  });
});
