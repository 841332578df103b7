import { afterEach, describe, expect, it } from 'vitest';

import { testEngines } from '../../support/store/databases.js';
import { makeTestKey } from '../../support/origins/key-record-maker.js';
import { getKeys, postKey, postKeys } from '../../support/clients/notary-client.js';
import { startRemoteServer, type RemoteServer } from '../../support/origins/remote-server.js';
import { setNotary } from '../../support/world.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const K1 = 'ed25519:k1';

describe.each(testEngines())('freshness of stored records, on %s', (engine) => {
  const { authority, service } = setNotary({ engine });
  const remotes: RemoteServer[] = [];

  afterEach(async () => {
    await Promise.all(remotes.splice(0).map((remote) => remote.origin.close()));
  });

  /** A remote server with a record that the service has just fetched, valid for ten hours. */
  const fetched = async (options: Partial<Parameters<typeof startRemoteServer>[1]> = {}) => {
    const remote = await startRemoteServer(authority, {
      validUntilTs: service.clock.now() + 10 * HOUR_MS,
      ...options,
    });
    remotes.push(remote);
    await postKey(service.url, remote.serverName);
    return remote;
  };
  const validity = (records: { valid_until_ts: number }[]) => records.map((record) => record.valid_until_ts);

  it('keeps a record for half of its lifetime, and fetches once past that (SPEC §4.4.4)', async () => {
    const remote = await fetched();
    service.clock.advance(5 * HOUR_MS);
    await postKey(service.url, remote.serverName);
    expect(remote.hits()).toBe(1);
    service.clock.advance(1);
    remote.publish({ validUntilTs: service.clock.now() + 10 * HOUR_MS });
    const { records } = await postKey(service.url, remote.serverName);
    expect([remote.hits(), validity(records)]).toEqual([2, [service.clock.now() + 10 * HOUR_MS]]);
  });

  it('takes a minimum equal to the validity as met, and one above as a miss (SPEC §4.4.3)', async () => {
    const remote = await fetched();
    const validUntilTs = service.clock.now() + 10 * HOUR_MS;
    const ask = (minimum: number) =>
      postKey(service.url, remote.serverName, K1, { minimum_valid_until_ts: minimum });
    await ask(validUntilTs);
    await getKeys(service.url, `query/${remote.serverName}/${K1}?minimum_valid_until_ts=${validUntilTs}`);
    expect(remote.hits()).toBe(1);
    const { records } = await ask(validUntilTs + 1);
    expect([remote.hits(), records.length]).toEqual([2, 1]);
  });

  it('judges by the minimum alone when there is one, however old the record is (SPEC §4.4.3)', async () => {
    const remote = await fetched();
    service.clock.advance(9 * HOUR_MS);
    await postKey(service.url, remote.serverName, K1, { minimum_valid_until_ts: service.clock.now() });
    await postKey(service.url, remote.serverName, K1, { minimum_valid_until_ts: 0 });
    expect(remote.hits()).toBe(1);
    await postKey(service.url, remote.serverName, K1, { minimum_valid_until_ts: null });
    expect(remote.hits()).toBe(2);
  });

  it('never fetches for all keys, however stale they are (SPEC §4.1, §4.3)', async () => {
    const remote = await fetched();
    service.clock.advance(20 * HOUR_MS);
    const all = await getKeys(service.url, `query/${remote.serverName}`);
    const posted = await postKeys(service.url, { server_keys: { [remote.serverName]: {} } });
    expect([all.records.length, posted.records.length, remote.hits()]).toEqual([1, 1, 1]);
  });

  it.each([
    ['is down', (remote: RemoteServer) => remote.origin.close()],
    ['is somebody else', (remote: RemoteServer) => void remote.publish({ serverName: 'other.example' })],
  ])('returns the stale record when the origin %s, after one attempt', async (_what, spoil) => {
    const remote = await fetched();
    const validUntilTs = service.clock.now() + 10 * HOUR_MS;
    await spoil(remote);
    service.clock.advance(20 * HOUR_MS);
    const { records } = await postKey(service.url, remote.serverName);
    expect(validity(records)).toEqual([validUntilTs]);
    const fetches = await service.context.parts.database.client.keyFetch.findMany({
      where: { serverName: remote.serverName },
      orderBy: { id: 'desc' },
    });
    expect(fetches.map((fetch) => fetch.outcome)).toEqual(['failed', 'ok']);
  });

  it('renews the time added when the origin publishes the same bytes again (SPEC §4.4.4)', async () => {
    const remote = await fetched();
    service.clock.advance(6 * HOUR_MS);
    await postKey(service.url, remote.serverName);
    expect(remote.hits()).toBe(2);
    service.clock.advance(HOUR_MS);
    await postKey(service.url, remote.serverName);
    expect(remote.hits()).toBe(2);
  });

  it('fetches for an unknown key id of a fresh record, and omits what the origin does not have', async () => {
    const remote = await fetched();
    expect((await postKey(service.url, remote.serverName, 'ed25519:none')).records).toEqual([]);
    expect(remote.hits()).toBe(2);
  });

  it('returns a record once for several key ids, and fetches once if any of them is a miss (SPEC §4.4.7)', async () => {
    const keys = [makeTestKey('k1'), makeTestKey('k2')];
    const remote = await fetched({ keys });
    const criteria = { [K1]: {}, 'ed25519:k2': {} };
    const both = await postKeys(service.url, { server_keys: { [remote.serverName]: criteria } });
    expect([both.records.length, remote.hits()]).toEqual([1, 1]);
    expect((await getKeys(service.url, `query/${remote.serverName}`)).records).toHaveLength(1);

    const mixed = { [K1]: {}, 'ed25519:k2': { minimum_valid_until_ts: 9e14 } };
    const one = await postKeys(service.url, { server_keys: { [remote.serverName]: mixed } });
    expect([one.records.length, remote.hits()]).toEqual([1, 2]);
  });

  it('answers an old key id from the record, by the validity of the record, without a fetch', async () => {
    const old = makeTestKey('old');
    const remote = await fetched({ oldKeys: [{ key: old, expiredTs: 1000 }] });
    const { records } = await postKey(service.url, remote.serverName, old.keyId);
    expect(records[0]?.old_verify_keys).toEqual({ [old.keyId]: { key: old.publicKey, expired_ts: 1000 } });
    expect(remote.hits()).toBe(1);
  });

  it('keeps an id answerable that a newer record no longer lists', async () => {
    const remote = await fetched();
    const k2 = makeTestKey('k2');
    service.clock.advance(MINUTE_MS);
    remote.publish({ keys: [k2], validUntilTs: service.clock.now() + 10 * HOUR_MS });
    const fresh = await postKey(service.url, remote.serverName, k2.keyId);
    expect([Object.keys(fresh.records[0]?.verify_keys ?? {}), remote.hits()]).toEqual([[k2.keyId], 2]);

    const all = await getKeys(service.url, `query/${remote.serverName}`);
    expect(all.records.map((record) => Object.keys(record.verify_keys))).toEqual([[K1], [k2.keyId]]);
    const vanished = await postKey(service.url, remote.serverName);
    expect(vanished.records.map((record) => Object.keys(record.verify_keys))).toEqual([[K1]]);
    const both = await postKeys(service.url, {
      server_keys: { [remote.serverName]: { [K1]: {}, [k2.keyId]: {} } },
    });
    expect([both.records.length, remote.hits()]).toEqual([2, 2]);
  });

  it('serves the new record when a key changes under its id, and raises an alert', async () => {
    const remote = await fetched();
    const other = makeTestKey('k1');
    service.clock.advance(6 * HOUR_MS);
    remote.publish({ keys: [other], validUntilTs: service.clock.now() + 10 * HOUR_MS });
    const { records } = await postKey(service.url, remote.serverName);
    expect(records[0]?.verify_keys).toEqual({ [K1]: { key: other.publicKey } });
    const { client } = service.context.parts.database;
    const events = await client.keyEvent.findMany({
      where: { serverName: remote.serverName, severity: 'alert' },
    });
    expect(events).toMatchObject([
      { kind: 'key_replaced', keyId: K1, detail: { from: remote.key.publicKey, to: other.publicKey } },
    ]);
    expect(await client.keyRecord.count({ where: { serverName: remote.serverName } })).toBe(2);
  });
});
