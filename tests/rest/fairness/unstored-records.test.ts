import { afterEach, describe, expect, it } from 'vitest';

import { HOUR_MS } from '../../../src/core/base/clock.js';
import { getKeys, postKeys } from '../../support/clients/notary-client.js';
import { makeTestKey } from '../../support/origins/key-record-maker.js';
import { startRemoteServer, type RemoteServer } from '../../support/origins/remote-server.js';
import { testEngines } from '../../support/store/databases.js';
import { setNotary } from '../../support/world.js';

const BUDGET_BYTES = 256n * 1024n ** 2n;
const [K1, K2] = [makeTestKey('k1'), makeTestKey('k2')];

/** Of a server whose domain has used up its bytes, on default settings. */
describe.each(testEngines())('a record that is not stored, on %s', (engine) => {
  const { authority, service } = setNotary({ engine });
  let remote: RemoteServer;

  afterEach(() => remote.origin.close());

  const start = async () => {
    await setUsage(0n);
    const validUntilTs = service.clock.now() + 100 * HOUR_MS;
    remote = await startRemoteServer(authority, { keys: [K1], validUntilTs });
  };
  const client = () => service.context.parts.database.client;
  const setUsage = (bytes: bigint) =>
    client().domainUsage.updateMany({ where: { NOT: { domain: '*' } }, data: { bytes } });
  const ask = async (...keyIds: string[]) => {
    const keys = Object.fromEntries(keyIds.map((keyId) => [keyId, {}]));
    const { records } = await postKeys(service.url, { server_keys: { [remote.serverName]: keys } });
    return records.map((record) => Object.keys(record.verify_keys).join(' ')).toSorted();
  };
  const all = async () => {
    const { records } = await getKeys(service.url, `query/${remote.serverName}`);
    return records.map((record) => Object.keys(record.verify_keys).join(' ')).toSorted();
  };
  const storedRecords = () => client().keyRecord.count({ where: { serverName: remote.serverName } });

  it('stands beside those that are, which go on being answered (SPEC §4.4.1)', async () => {
    await start();
    expect(await ask(K1.keyId)).toEqual([K1.keyId]);
    await setUsage(BUDGET_BYTES);
    remote.publish({ keys: [K2] });
    expect(await ask(K2.keyId)).toEqual([K2.keyId]);
    expect(await storedRecords()).toBe(1);

    expect(await ask(K1.keyId)).toEqual([K1.keyId]);
    expect(await ask(K1.keyId, K2.keyId)).toEqual([K1.keyId, K2.keyId]);
    expect(await all()).toEqual([K1.keyId, K2.keyId]);
  });

  it('takes the place of one of which it lists every key, and is answered once when it is stored meanwhile', async () => {
    await start();
    await ask(K1.keyId);
    await setUsage(BUDGET_BYTES);
    remote.publish({ keys: [K1, K2] });
    const both = `${K1.keyId} ${K2.keyId}`;
    expect(await ask(K2.keyId)).toEqual([both]);
    expect(await ask(K1.keyId)).toEqual([both]);
    expect(await all()).toEqual([both]);

    await setUsage(0n);
    expect(await ask(K1.keyId, 'ed25519:none')).toEqual([both]);
    expect(await storedRecords()).toBe(2);
    expect(await all()).toEqual([both]);
  });
});
