import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { checkpointOf, getCheckpoint, getEntries, readEntry } from '../../support/clients/log-client.js';
import { postKey } from '../../support/clients/notary-client.js';
import { respondStatus } from '../../support/origins/key-origin.js';
import { makeTestKey, type TestKey } from '../../support/origins/key-record-maker.js';
import { startRemoteServer, type RemoteServer } from '../../support/origins/remote-server.js';
import { testEngines } from '../../support/store/databases.js';
import { setNotary } from '../../support/world.js';

const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;
const JUMP_MS = 2 * HOUR_MS;

describe.each(testEngines())('after the clock was set back, on %s', (engine) => {
  const { authority, service } = setNotary({ engine });
  const remotes: RemoteServer[] = [];
  /** What the wrong clock says at first. */
  let wrongTs: number;
  let k1: TestKey;
  let k2: TestKey;

  beforeEach(() => {
    [k1, k2] = [makeTestKey('k1'), makeTestKey('k2')];
    wrongTs = service.clock.now();
  });
  afterEach(async () => {
    await Promise.all(remotes.splice(0).map((remote) => remote.origin.close()));
    service.clock.advance(JUMP_MS);
  });

  const started = async (keys: TestKey[]) => {
    const remote = await startRemoteServer(authority, { keys, validUntilTs: wrongTs + 10 * HOUR_MS });
    remotes.push(remote);
    return remote;
  };
  /** Fetched while the clock was wrong. */
  const fetched = async () => {
    const remote = await started([k1, k2]);
    await postKey(service.url, remote.serverName, k2.keyId);
    service.clock.advance(-JUMP_MS);
    return remote;
  };

  it('the record that was fetched last is the answer, though an older one lists a key it dropped', async () => {
    const before = await getCheckpoint(service.url);
    const remote = await fetched();
    const { size } = await checkpointOf(service.url, before.size + 1);
    remote.publish({ keys: [k2], validUntilTs: wrongTs + 20 * HOUR_MS });
    const ask = () =>
      postKey(service.url, remote.serverName, k2.keyId, { minimum_valid_until_ts: wrongTs + 15 * HOUR_MS });
    for (let time = 0; time < 5; time += 1) {
      expect((await ask()).records.map((record) => record.valid_until_ts)).toEqual([wrongTs + 20 * HOUR_MS]);
      service.clock.advance(6 * SECOND_MS);
    }
    expect(remote.hits()).toBe(2);
    const vanished = await postKey(service.url, remote.serverName, k1.keyId);
    expect(vanished.records.map((record) => record.valid_until_ts)).toEqual([wrongTs + 10 * HOUR_MS]);

    const [about, { client }] = [{ serverName: remote.serverName }, service.context.parts.database];
    expect(await client.keyEvent.count({ where: { ...about, kind: 'key_removed' } })).toBe(1);
    expect(await client.newestRecord.count({ where: about })).toBe(2);
    // What was queued before another server's first entry is in the log before it.
    const other = await started([k1]);
    await postKey(service.url, other.serverName, k1.keyId);
    const grown = await checkpointOf(service.url, size + 2);
    const entries = (await getEntries(service.url, grown.size)).slice(size).map(readEntry);
    expect(entries.map((entry) => entry.server_name)).toEqual([remote.serverName, other.serverName]);
  });

  it('a server that failed is left alone for no longer than back-off says', async () => {
    const remote = await started([k1]);
    const { respond } = remote.origin;
    remote.origin.respond = respondStatus(500);
    for (let time = 0; time < 4; time += 1) await postKey(service.url, remote.serverName);
    expect(remote.hits()).toBe(3);
    service.clock.advance(-JUMP_MS);
    remote.origin.respond = respond;
    expect((await postKey(service.url, remote.serverName)).records).toHaveLength(1);
  });
});
