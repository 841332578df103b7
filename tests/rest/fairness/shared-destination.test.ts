import { afterAll, beforeAll, expect, it } from 'vitest';

import { DAY_MS } from '../../../src/core/base/clock.js';
import { postKeysAs, type KeyAnswer } from '../../support/clients/notary-client.js';
import { respondJson, startKeyOrigin, type KeyOrigin } from '../../support/origins/key-origin.js';
import { makeKeyRecord, makeTestKey } from '../../support/origins/key-record-maker.js';
import { askNobodyForTheTime } from '../../support/paused-jobs.js';
import { startTestService, type TestService } from '../../support/service.js';
import { setWorld } from '../../support/world.js';

const ADDRESS = '127.0.0.31';
const HOST = 'honestserver.example';
const FREE_FAILURES = 8;

const world = setWorld();
let origin: KeyOrigin;
let service: TestService;

beforeAll(async () => {
  const certificate = await world.authority.leaf({ names: [HOST] });
  origin = await startKeyOrigin({ certificate, address: ADDRESS, respond: respondJson('{}') });
  world.dns.zones.set(HOST, { A: [ADDRESS] });
  world.dns.zones.set(`_svc-fed._tcp.${HOST}`, { SRV: [{ target: HOST, port: origin.port }] });
  const listener = { port: 0, bind_addresses: ['127.0.0.1'], x_forwarded: true, resources: ['keys'] };
  const settings = { listeners: [listener] };
  service = await startTestService({
    dnsFiles: world.names.files,
    caPaths: [world.authority.caPath],
    settings,
  });
  await askNobodyForTheTime(service);
  const validUntilTs = service.clock.now() + DAY_MS;
  origin.respond = respondJson(makeKeyRecord({ serverName: HOST, keys: [makeTestKey('k1')], validUntilTs }));
});
afterAll(async () => {
  await service.remove();
  await origin.close();
});

const ask = (client: string, asked: readonly string[], keyId = 'ed25519:k1'): Promise<KeyAnswer> =>
  postKeysAs(client, service.url, {
    server_keys: Object.fromEntries(asked.map((name) => [name, { [keyId]: {} }])),
  });
const STRANGER = '192.0.2.1';
const PEER = '192.0.2.2';

it('a server is fetched at once, though a stranger asked for spellings of its name that fail', async () => {
  const spelled = (at: number): string => HOST.slice(0, at) + HOST.slice(at).toUpperCase();
  await ask(
    STRANGER,
    Array.from({ length: FREE_FAILURES }, (_, at) => spelled(at)),
  );
  expect(origin.hits.length).toBe(FREE_FAILURES);

  expect((await ask(PEER, [HOST])).records).toHaveLength(1);
});

it('one that answered before is fetched at once, though a stranger points dead names at its address', async () => {
  // What is remembered of its address is lost then.
  service = await service.restart();
  const dead = Array.from({ length: FREE_FAILURES }, (_, at) => `dead${at}.stranger.example`);
  for (const name of dead) world.dns.zones.set(name, { A: [ADDRESS] });
  await ask(STRANGER, dead);
  const hits = origin.hits.length;
  await ask(PEER, [HOST], 'ed25519:new');

  expect(origin.hits.length).toBe(hits + 1);
});
