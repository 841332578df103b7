import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { getKeys, postKeys } from '../../support/clients/notary-client.js';
import { startRemoteServer, type RemoteServer } from '../../support/origins/remote-server.js';
import { setNotary } from '../../support/world.js';

describe('key queries answered from memory, ahead of the routes', () => {
  const { authority, service } = setNotary();
  let remote: RemoteServer;

  beforeAll(async () => {
    remote = await startRemoteServer(authority, { validUntilTs: service.clock.now() + 3_600_000 });
    await postKeys(service.url, { server_keys: { [remote.serverName]: { 'ed25519:k1': {} } } });
  });
  afterAll(() => remote.origin.close());

  const withoutIds = (headers: Headers) =>
    [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name));

  it('are the answers of the routes, header for header', async () => {
    const fast = await getKeys(service.url, `query/${remote.serverName}`);
    const slow = await getKeys(service.url, `query/${remote.serverName}/`);
    expect([fast.status, fast.text]).toEqual([slow.status, slow.text]);
    expect(withoutIds(fast.headers)).toEqual(withoutIds(slow.headers));
  });

  it('go by what is known now, however often the same body comes', async () => {
    const body = { server_keys: { [remote.serverName]: { 'ed25519:k1': { minimum_valid_until_ts: 1 } } } };
    const answers = [await postKeys(service.url, body), await postKeys(service.url, body)];
    expect(answers.map(({ records }) => records.length)).toEqual([1, 1]);
    expect(remote.hits()).toBe(1);
    service.clock.advance(2 * 3_600_000);
    remote.publish({ validUntilTs: service.clock.now() + 3_600_000 });
    const stale = { server_keys: { [remote.serverName]: { 'ed25519:k1': {} } } };
    await postKeys(service.url, stale);
    expect(remote.hits()).toBe(2);
  });

  it('leave errors to the routes', async () => {
    const broken = await fetch(`${service.url}/_svc/key/v2/query`, {
      method: 'POST',
      body: '{"server_keys":1}',
    });
    expect([broken.status, await broken.json()]).toMatchObject([400, { errcode: 'M_BAD_JSON' }]);
  });
});
