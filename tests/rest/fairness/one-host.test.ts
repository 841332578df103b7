import { afterAll, beforeAll, expect, it } from 'vitest';

import { DAY_MS } from '../../../src/core/base/clock.js';
import { postKeys } from '../../support/clients/notary-client.js';
import { respondJson, startKeyOrigin, type KeyOrigin } from '../../support/origins/key-origin.js';
import { makeKeyRecord, makeTestKey } from '../../support/origins/key-record-maker.js';
import { askNobodyForTheTime } from '../../support/paused-jobs.js';
import { startTestService, type TestService } from '../../support/service.js';
import { setWorld } from '../../support/world.js';

const HOST = 'manyspellings.example';
const SPELLINGS = 40;
const BURST = 10;
const MANY_KEYS_HOST = 'manykeys.example';
const HOSTS = [HOST, MANY_KEYS_HOST];

const world = setWorld();
let origin: KeyOrigin;
let service: TestService;

beforeAll(async () => {
  for (const host of HOSTS) world.dns.zones.set(host, { A: ['127.0.0.1'] });
  service = await startTestService({ dnsFiles: world.names.files, caPaths: [world.authority.caPath] });
  await askNobodyForTheTime(service);
  origin = await startKeyOrigin({
    certificate: await world.authority.leaf({ names: HOSTS }),
    respond: respondJson('{}'),
  });
  const validUntilTs = service.clock.now() + DAY_MS;
  const keys = [makeTestKey('k1')];
  origin.respond = (request, response) => {
    const serverName = request.headers.host ?? '';
    respondJson(makeKeyRecord({ serverName, keys, validUntilTs }))(request, response);
  };
});
afterAll(async () => {
  await service.remove();
  await origin.close();
});

/** The name with other letters as capitals each time. */
const spelled = (at: number): string =>
  Array.from(HOST, (letter, index) => ((at >> index) & 1 ? letter.toUpperCase() : letter)).join('');

it('questions for keys that a server does not have are throttled by its host, however its name is written', async () => {
  const asked = Array.from({ length: SPELLINGS }, (_, at) => `${spelled(at)}:${origin.port}`);
  const ask = (keyId: string) =>
    postKeys(service.url, { server_keys: Object.fromEntries(asked.map((name) => [name, { [keyId]: {} }])) });
  // On a busy machine a question is answered before the last of them have come.
  const known = async () => (await ask('ed25519:k1')).records.length;
  await expect.poll(known).toBe(SPELLINGS);
  const hits = origin.hits.length;
  await ask('ed25519:none');

  expect(origin.hits.length - hits).toBe(BURST);
});

it('of the fetches of one server the latest are kept, however often it is asked for what it does not have', async () => {
  const { client } = service.context.parts.database;
  const serverName = `${HOST}:${origin.port}`;
  const earlier = { serverName, startedTs: 1n, durationMs: 1, outcome: 'ok', cause: 'query', steps: [] };
  await client.keyFetch.createMany({ data: Array.from({ length: 1000 }, () => earlier) });
  service.clock.advance(DAY_MS / 4);
  await postKeys(service.url, { server_keys: { [serverName]: { 'ed25519:other': {} } } });

  const kept = await client.keyFetch.findMany({ where: { serverName }, orderBy: { id: 'desc' } });
  expect(kept).toHaveLength(10);
  expect(kept[0]?.startedTs).toBe(BigInt(service.clock.now()));
});

it('a record of 200 keys is charged to its domain with the rows of all of them', async () => {
  const { client } = service.context.parts.database;
  const usedBytes = async () =>
    Number((await client.domainUsage.findUnique({ where: { domain: '*' } }))?.bytes);
  const keys = Array.from({ length: 200 }, (_, at) => makeTestKey(`k${at}`));
  const validUntilTs = service.clock.now() + DAY_MS;
  origin.respond = (request, response) => {
    const serverName = request.headers.host ?? '';
    respondJson(makeKeyRecord({ serverName, keys, signWith: keys.slice(0, 1), validUntilTs }))(
      request,
      response,
    );
  };
  const before = await usedBytes();
  const serverName = `${MANY_KEYS_HOST}:${origin.port}`;
  await postKeys(service.url, { server_keys: { [serverName]: { 'ed25519:k0': {} } } });

  const events = await client.keyEvent.findMany({ where: { serverName } });
  expect(events.length).toBeGreaterThan(keys.length);
  const rows = [...events, ...(await client.verifyKey.findMany({ where: { serverName } }))];
  const bytes = JSON.stringify(rows, (_name, value: unknown) =>
    typeof value === 'bigint' ? 1 : value,
  ).length;
  expect((await usedBytes()) - before).toBeGreaterThan(bytes);
});
