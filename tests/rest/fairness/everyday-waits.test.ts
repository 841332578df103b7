import { expect, it } from 'vitest';

import { DAY_MS } from '../../../src/core/base/clock.js';
import { postKeys } from '../../support/clients/notary-client.js';
import { respondJson, startKeyOrigin } from '../../support/origins/key-origin.js';
import { makeKeyRecord, makeTestKey } from '../../support/origins/key-record-maker.js';
import { createTestAuthority } from '../../support/origins/remote-server.js';
import { startTestService } from '../../support/service.js';

/** More than connect to one address at once. */
const SERVERS = 50;
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
  origin.respond = (request, response) => {
    const record = makeKeyRecord({ serverName: request.headers.host ?? '', keys, validUntilTs });
    respondJson(record)(request, response);
  };

  const asked = HOSTS.map((host) => [`${host}:${origin.port}`, { 'ed25519:k1': {} }] as const);
  const { records } = await postKeys(service.url, { server_keys: Object.fromEntries(asked) });

  expect(records).toHaveLength(SERVERS);
  expect(await (await fetch(`${service.url}/metrics`)).text()).toContain(
    'vidimus_key_fetch_bound_total{bound="address"}',
  );
  const lines = service.logs.filter(({ msg }) => msg === 'key fetches wait: a bound is reached');
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
