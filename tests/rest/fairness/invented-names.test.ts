import { beforeAll, describe, expect, it } from 'vitest';

import { DAY_MS, HOUR_MS } from '../../../src/core/base/clock.js';
import { getKeys, postKey, postKeys } from '../../support/clients/notary-client.js';
import { respondJson, startKeyOrigin } from '../../support/origins/key-origin.js';
import { makeKeyRecord, makeTestKey } from '../../support/origins/key-record-maker.js';
import { askNobodyForTheTime } from '../../support/paused-jobs.js';
import { startTestService } from '../../support/service.js';
import { setWorld } from '../../support/world.js';
import { testEngines } from '../../support/store/databases.js';
import { setUp } from '../../support/set-up.js';

const NAMES = 600;
const BUDGET_BYTES = 256n * 1024n ** 2n;
/** The rows of a record beside it, and of the fetches that are kept of its server in any case. */
const ROWS = 2048;
const FETCH_ROWS = 10 * 2048;

describe.each(testEngines())('names that cost nothing, on default settings, on %s', (engine) => {
  const world = setWorld();
  const service = setUp(() =>
    startTestService({
      engine,
      dnsFiles: world.names.files,
      caPaths: [world.authority.caPath],
    }),
  );

  beforeAll(async () => {
    await askNobodyForTheTime(service);
  });

  const client = () => service.context.parts.database.client;
  const ask = async (serverNames: readonly string[]) =>
    postKeys(service.url, {
      server_keys: Object.fromEntries(serverNames.map((name) => [name, { 'ed25519:k1': {} }])),
    });
  const askAll = async (questions: number, nameOf: (at: number) => string) => {
    for (let question = 0; question < questions; question += 1)
      await ask(Array.from({ length: NAMES }, (_, at) => nameOf(question * NAMES + at)));
  };
  const rows = async (part: string) => {
    const where = { serverName: { contains: part } };
    return {
      servers: await client().remoteServer.count({ where }),
      fetches: await client().keyFetch.count({ where }),
    };
  };
  const counted = async () => {
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    return Number(/^vidimus_key_fetch_counted_total (\d+)$/m.exec(metrics)?.[1] ?? 0);
  };

  it('cause as many failures in requests of one name each', async () => {
    const startedMs = performance.now();
    await Promise.all(
      Array.from({ length: NAMES }, (_, at) => getKeys(service.url, `query/n${at}.single.example/a`)),
    );
    expect(await counted()).toBeLessThanOrEqual(101 + (performance.now() - startedMs) / 50);
  });

  it('leave no rows when they do not exist, and are counted', async () => {
    const [before, startedMs] = [await counted(), performance.now()];
    await askAll(16, (at) => `n${at}.flood.example`);
    await askAll(2, (at) => `n.flood-${at}.example`);
    expect(await rows('flood')).toEqual({ servers: 0, fetches: 0 });
    // A client may cause a hundred failures at once, and twenty a second.
    const caused = (await counted()) - before;
    expect(caused).toBeGreaterThan(0);
    expect(caused).toBeLessThanOrEqual(101 + (performance.now() - startedMs) / 50);
    expect(service.logs.filter(({ msg, level }) => msg === 'key fetch failed' && level === 'warn')).toEqual(
      [],
    );
  });

  it('are stored up to the budget of their domain, then answered from memory', async () => {
    const hosts = ['one.full.example', 'two.full.example'];
    for (const host of hosts) world.dns.zones.set(host, { A: ['127.0.0.1'] });
    const certificate = await world.authority.leaf({ names: hosts });
    const origin = await startKeyOrigin({ certificate, respond: respondJson('{}') });
    const [stored, unstored] = hosts.map((host) => `${host}:${origin.port}`) as [string, string];
    const publish = (serverName: string) => {
      const validUntilTs = service.clock.now() + DAY_MS;
      origin.respond = respondJson(makeKeyRecord({ serverName, keys: [makeTestKey('k1')], validUntilTs }));
    };
    await client().domainUsage.create({ data: { domain: 'full.example', servers: 9999n, bytes: 0n } });
    publish(stored);
    // The client may have spent its failures; it gets one more every 50 ms.
    const recordsOf = async (name: string) => (await postKey(service.url, name)).records;
    await expect.poll(() => recordsOf(stored)).toHaveLength(1);
    publish(unstored);
    await expect.poll(() => recordsOf(unstored)).toHaveLength(1);
    expect(await recordsOf(unstored)).toHaveLength(1);
    await origin.close();

    expect(origin.hits).toHaveLength(2);
    expect(await rows(stored)).toEqual({ servers: 1, fetches: 1 });
    expect(await rows(unstored)).toEqual({ servers: 0, fetches: 0 });
    expect(await client().keyRecord.count({ where: { serverName: { contains: 'full.example' } } })).toBe(1);
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toContain('vidimus_key_records_not_stored_total{bound="servers"} 1');
    expect(service.logs).toContainEqual(
      expect.objectContaining({ level: 'warn', bound: 'servers', domain: 'full.example' }),
    );
    expect((await postKey(service.url, stored)).records).toHaveLength(1);
  });

  it('may renew what is stored for ever, and add records up to the bytes of their domain', async () => {
    const host = 'rotating.example';
    world.dns.zones.set(host, { A: ['127.0.0.1'] });
    const certificate = await world.authority.leaf({ names: [host] });
    const origin = await startKeyOrigin({ certificate, respond: respondJson('{}') });
    const serverName = `${host}:${origin.port}`;
    const where = { domain: host };
    const usage = () => client().domainUsage.findUnique({ where });
    const recordCount = () => client().keyRecord.count({ where: { serverName } });
    const publish = (keyId: string): Buffer => {
      const validUntilTs = service.clock.now() + DAY_MS;
      const bytes = makeKeyRecord({ serverName, keys: [makeTestKey(keyId)], validUntilTs });
      origin.respond = respondJson(bytes);
      return bytes;
    };
    /** Asks for a key of the server an hour later, for which it has to be asked. */
    const fetchAgain = async (keyId: string) => {
      service.clock.advance(HOUR_MS);
      return (await postKey(service.url, serverName, `ed25519:${keyId}`)).records;
    };

    const firstRecord = publish('k1');
    await fetchAgain('k1');
    const bytes = BigInt(firstRecord.length + publish('k2').length + 2 * ROWS + FETCH_ROWS);
    expect(await fetchAgain('k2')).toHaveLength(1);
    expect(await usage()).toMatchObject({ servers: 1n, bytes });

    await client().domainUsage.update({ where, data: { bytes: BUDGET_BYTES } });
    await fetchAgain('none');
    expect(await client().keyRecord.count({ where: { serverName, lastSeenTs: service.clock.now() } })).toBe(
      1,
    );
    publish('k3');
    expect(await fetchAgain('k3')).toHaveLength(1);
    expect(await recordCount()).toBe(2);
    // A change back to an earlier record leaves events and an entry of the log for ever.
    const events = () => client().keyEvent.count({ where: { serverName } });
    const before = await events();
    origin.respond = respondJson(firstRecord);
    const { length: hits } = origin.hits;
    await fetchAgain('none');
    // So does a record that is refused.
    origin.respond = respondJson('{}');
    await fetchAgain('none');
    expect(origin.hits.length).toBe(hits + 2);
    expect(await events()).toBe(before);
    expect(await client().keyFetch.count({ where: { serverName, outcome: 'failed' } })).toBe(1);
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toContain('vidimus_key_records_not_stored_total{bound="bytes"} 3');
    const checks = await service.context.services.health.look();
    expect(checks.find(({ id }) => id === 'limits')).toMatchObject({
      state: 'warning',
      message: expect.stringContaining('bytes of one domain') as string,
    });
    await origin.close();
  });
});
