import { createServer, type Socket } from 'node:net';

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import { testEngines } from '../../support/store/databases.js';
import { getKeys, isSignedBy, postKey, postKeys } from '../../support/clients/notary-client.js';
import { startRemoteServer, type RemoteServer } from '../../support/origins/remote-server.js';
import { listenOnFreshPort } from '../../support/fresh-port.js';
import { metricOf, setNotary } from '../../support/world.js';
import { OWN_NAME } from '../../support/service.js';

describe.each(testEngines())('a server nobody has seen, on %s', (engine) => {
  const { authority, service } = setNotary({ engine });
  let remote: RemoteServer;

  beforeAll(async () => {
    remote = await startRemoteServer(authority, { validUntilTs: service.clock.now() + 3_600_000 });
  });

  afterAll(() => remote.origin.close());

  it('is fetched once, verified, stored and answered with both signatures (SPEC §4.4)', async () => {
    const answer = await postKey(service.url, remote.serverName);

    expect(answer.status).toBe(200);
    expect(answer.records).toHaveLength(1);
    const [record] = answer.records;
    const own = (await getKeys(service.url, 'server')).text;
    const [ownKeyId, ownKey] = Object.entries(
      (JSON.parse(own) as { verify_keys: Record<string, { key: string }> }).verify_keys,
    )[0]!;
    expect(isSignedBy(record!, remote.serverName, remote.key)).toBe(true);
    expect(isSignedBy(record!, OWN_NAME, { keyId: ownKeyId, publicKey: ownKey.key })).toBe(true);
    expect(remote.hits()).toBe(1);
  });

  it('is answered from the store the second time', async () => {
    const before = remote.hits();

    const answer = await getKeys(service.url, `query/${remote.serverName}`);

    expect(answer.records).toHaveLength(1);
    expect(remote.hits()).toBe(before);
  });

  it.runIf(engine === 'postgresql')(
    'is one of at most 128 for each client, also of queries that wait for the store together',
    async () => {
      const sockets: Socket[] = [];
      const silent = createServer((socket) => void sockets.push(socket.on('error', () => {})));
      const leave = (): void => {
        silent.close();
        for (const socket of sockets) socket.destroy();
      };
      onTestFinished(leave);
      const port = await listenOnFreshPort(silent, '0.0.0.0');
      const names = Array.from({ length: 320 }, (_, at) => `127.1.${at >> 4}.${at & 15}:${port}`);
      const missed = () => metricOf(service, 'vidimus_key_lookups_total{result="missed"}');
      const before = await missed();
      const queries: Promise<unknown>[] = [];
      await service.context.parts.database.client.$transaction(async (tx) => {
        await tx.$executeRawUnsafe('LOCK TABLE remote_server IN ACCESS EXCLUSIVE MODE');
        for (let at = 0; at < names.length; at += 16) {
          const asked = names.slice(at, at + 16).map((name) => [name, { 'ed25519:k1': {} }] as const);
          queries.push(postKeys(service.url, { server_keys: Object.fromEntries(asked) }));
        }
        // Those that wait for the table may take every connection before the last ones are looked up.
        await expect.poll(missed).toBeGreaterThan(before + 128);
      });
      const underWay = async (): Promise<number> =>
        (await metricOf(service, 'vidimus_key_fetches_running')) +
        (await metricOf(service, 'vidimus_key_fetches_waiting'));
      await expect.poll(underWay).toBeGreaterThan(64);

      expect(await underWay()).toBeLessThanOrEqual(128);
      leave();
      await Promise.all(queries);
    },
  );
});
