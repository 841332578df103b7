import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { DAY_MS, HOUR_MS, SECOND_MS } from '../../../src/core/base/clock.js';
import { acknowledgeAlarms, findAlarms } from '../../../src/core/operators/keys/key-alarms.js';
import { eventList } from '../../../src/core/operators/keys/key-events.js';
import { postKeys } from '../../support/clients/notary-client.js';
import { healthLine } from '../../support/health-line.js';
import { respondJson, startKeyOrigin, type KeyOrigin } from '../../support/origins/key-origin.js';
import { makeKeyRecord, makeTestKey, type TestKey } from '../../support/origins/key-record-maker.js';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/origins/webhook-receiver.js';
import { startTestService, type TestService } from '../../support/service.js';
import { setWorld } from '../../support/world.js';
import { testEngines } from '../../support/store/databases.js';

const SECRET = 'a secret of at least 16 characters';
const DOMAIN = 'manyservers.example';
const HOSTS = Array.from({ length: 15 }, (_, at) => `s${at}.${DOMAIN}`);
const HONEST = 'honest.test';
const PER_DOMAIN = 10;

const world = setWorld();
let origin: KeyOrigin;
let ops: WebhookReceiver;
/** What each host publishes. */
const published = new Map<string, TestKey>();

beforeAll(async () => {
  for (const host of [...HOSTS, HONEST]) world.dns.zones.set(host, { A: ['127.0.0.1'] });
  const certificate = await world.authority.leaf({ names: [`*.${DOMAIN}`, HONEST] });
  origin = await startKeyOrigin({ certificate, respond: respondJson('{}') });
  ops = await startWebhookReceiver();
});
afterAll(async () => {
  await ops.close();
  await origin.close();
});

describe.each(testEngines())('alarms of servers that a stranger runs, on %s', (engine) => {
  let service: TestService;
  beforeAll(async () => {
    const hook = { url: ops.url, secret: SECRET };
    service = await startTestService({
      engine,
      dnsFiles: world.names.files,
      caPaths: [world.authority.caPath],
      settings: { alerts: { webhook: hook } },
    });
    origin.respond = (request, response) => {
      const serverName = request.headers.host ?? '';
      const key = published.get(serverName.split(':')[0] ?? '') ?? makeTestKey('k1');
      const validUntilTs = service.clock.now() + DAY_MS;
      respondJson(makeKeyRecord({ serverName, keys: [key], validUntilTs }))(request, response);
    };
  });
  afterAll(() => service.remove());

  const named = (host: string): string => `${host}:${origin.port}`;
  const client = () => service.context.parts.database.client;

  /** The servers publish keys that nobody has seen, and are asked. */
  const replaceKeys = async (hosts: readonly string[]) => {
    for (const host of hosts) published.set(host, makeTestKey('k1'));
    service.clock.advance(60 * SECOND_MS);
    const wanted = { minimum_valid_until_ts: service.clock.now() + DAY_MS };
    const asked = Object.fromEntries(hosts.map((host) => [named(host), { 'ed25519:k1': wanted }]));
    const { records } = await postKeys(service.url, { server_keys: asked });
    const answered = records.map((record) => [record.server_name, record.verify_keys['ed25519:k1']?.key]);
    expect(Object.fromEntries(answered)).toEqual(
      Object.fromEntries(hosts.map((host) => [named(host), published.get(host)?.publicKey])),
    );
  };
  const replaced = (host?: string) =>
    client().keyEvent.count({
      where: { kind: 'key_replaced', ...(host === undefined ? {} : { serverName: named(host) }) },
    });
  const open = async () => {
    const rows = await client().remoteServer.findMany({ where: { alarmSeq: { not: null } } });
    return rows.map(({ serverName }) => serverName);
  };
  /** Names of the servers whose alarms operators see as acknowledged, or as waiting for it. */
  const feed = async (acknowledged: boolean) => {
    const list = eventList(service.context.parts.database);
    const page = { direction: 'forward', size: 100, cursor: null } as const;
    const { rows } = await list.page({ acknowledged }, page);
    return rows.map((row) => row.serverName);
  };
  const acknowledge = async (host: string) => {
    const { database } = service.context.parts;
    const [newest = 0] = await findAlarms(database, [named(host)]);
    return acknowledgeAlarms(database, {
      serverName: named(host),
      throughSeq: newest,
      actor: 'ana',
      reason: 'asked',
      ts: 1,
    });
  };

  it('end at ten of a domain: what comes later are events, and an alarm of somebody else is one', async () => {
    await replaceKeys([...HOSTS, HONEST]);
    expect(await open()).toEqual([]);
    await replaceKeys(HOSTS);
    await replaceKeys([HONEST]);

    expect(await replaced()).toBe(HOSTS.length + 1);
    const alarmed = await open();
    expect(alarmed).toHaveLength(PER_DOMAIN + 1);
    expect(alarmed).toContain(named(HONEST));
    expect((await feed(false)).toSorted()).toEqual(alarmed.toSorted());
    // What was never an alarm has not been acknowledged.
    expect(await feed(true)).toEqual([]);

    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toContain(
      `vidimus_key_alarms_dropped_total{bound="domain"} ${HOSTS.length - PER_DOMAIN}`,
    );
    expect(service.logs.filter(({ bound, domain }) => bound === 'domain' && domain === DOMAIN)).toHaveLength(
      1,
    );
    expect(await healthLine(service, 'limits')).toMatchObject({
      state: 'warning',
      message: expect.stringContaining('alarms of one domain') as string,
    });
    expect(await healthLine(service, 'alarms')).toMatchObject({ state: 'failed' });
  });

  it('end at ten of one server, too, of which an hour brings one more', async () => {
    await acknowledge(HONEST);
    for (let times = 0; times < PER_DOMAIN + 2; times += 1) await replaceKeys([HONEST]);
    const rows = () => client().remoteServer.findUniqueOrThrow({ where: { serverName: named(HONEST) } });
    expect(await replaced(HONEST)).toBe(1 + PER_DOMAIN + 2);
    // One had been raised before.
    expect((await rows()).alarmCount).toBe(PER_DOMAIN - 1);

    expect(await acknowledge(HONEST)).toBe(true);
    expect(await rows()).toMatchObject({ alarmSeq: null, alarmCount: 0 });
    // Those that were none stay so.
    expect(await feed(true)).toEqual(Array.from({ length: PER_DOMAIN }, () => named(HONEST)));
    service.clock.advance(HOUR_MS);
    await replaceKeys([HONEST]);
    expect(await rows()).toMatchObject({ alarmCount: 1 });
  });
});
