import { expect, it } from 'vitest';

import { DAY_MS } from '../../../src/core/base/clock.js';
import { postKeys } from '../../support/clients/notary-client.js';
import { respondJson, startKeyOrigin } from '../../support/origins/key-origin.js';
import { makeKeyRecord, makeTestKey } from '../../support/origins/key-record-maker.js';
import { createTestAuthority } from '../../support/origins/remote-server.js';
import { startTestService } from '../../support/service.js';

/** More than connect to one address at once; a query begins with so many. */
const PER_QUERY = 8;
const QUERIES = 6;
const SERVERS = QUERIES * PER_QUERY;
const HOSTS = Array.from({ length: SERVERS }, (_, at) => `s${at}.shared.example`);

it('fetches that wait for others at their address are counted, logged, and a line of health that is ok', async () => {
  const authority = await createTestAuthority();
  const certificate = await authority.leaf({ names: ['*.shared.example'] });
  const origin = await startKeyOrigin({ certificate, respond: respondJson('{}') });
  const hosts = Object.fromEntries(HOSTS.map((host) => [host, ['127.0.0.1']]));
  const settings = { dns: { hosts } };
  const service = await startTestService({ caPaths: [authority.caPath], settings });
  const validUntilTs = service.clock.now() + DAY_MS;
  const keys = [makeTestKey('k1')];
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  origin.respond = (request, response) => {
    const record = makeKeyRecord({ serverName: request.headers.host ?? '', keys, validUntilTs });
    void gate.then(() => respondJson(record)(request, response));
  };

  const asked = HOSTS.map((host) => [`${host}:${origin.port}`, { 'ed25519:k1': {} }] as const);
  const queries = Array.from({ length: QUERIES }, (_, at) =>
    asked.slice(at * PER_QUERY, (at + 1) * PER_QUERY),
  );
  const answers = queries.map((query) => postKeys(service.url, { server_keys: Object.fromEntries(query) }));
  const metrics = async () => (await fetch(`${service.url}/metrics`)).text();
  await expect.poll(metrics).toContain('vidimus_key_fetch_bound_total{bound="address"}');
  open();
  const records = (await Promise.all(answers)).flatMap((answer) => answer.records);
  expect(records).toHaveLength(SERVERS);

  const lines = service.logs.filter(({ msg }) => msg === 'key fetches wait: a limit is reached');
  expect(lines).toMatchObject([
    {
      level: 'info',
      bound: 'address',
      client: 'ip:127.0.0.1',
      address: '127.0.0.1',
    },
  ]);
  const checks = await service.context.services.health.look();
  expect(checks.find(({ id }) => id === 'limits')).toMatchObject({
    state: 'ok',
    message: expect.stringMatching(/Key fetch queue, connections to one address, \d+ times?/) as string,
  });
  await service.remove();
  await origin.close();
  await authority.remove();
});
