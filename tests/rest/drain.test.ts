import { afterEach, beforeEach, expect, it } from 'vitest';

import { respondNever } from '../support/origins/key-origin.js';
import { getKeys, postKey } from '../support/clients/notary-client.js';
import {
  createTestAuthority,
  startRemoteServer,
  type RemoteServer,
} from '../support/origins/remote-server.js';
import { startBusyClients } from '../support/clients/busy-clients.js';
import { OWN_NAME, startTestService, type TestService } from '../support/service.js';
import { setUpEach } from '../support/set-up.js';

const authority = setUpEach(createTestAuthority);
let remote: RemoteServer;
let service: TestService;

beforeEach(async () => {
  service = await startTestService({ caPaths: [authority.caPath] });
  remote = await startRemoteServer(authority, { validUntilTs: service.clock.now() + 3_600_000 });
});
afterEach(async () => {
  await service.remove();
  await remote.origin.close();
});

it('what outlasts the drain is 503 with Retry-After, not a reset', async () => {
  service = await service.restart({ server: { drain_timeout: '100ms' } });
  const asked = new Promise<void>((resolve) => {
    remote.origin.respond = (request, response) => {
      resolve();
      respondNever(request, response);
    };
  });
  const request = postKey(service.url, remote.serverName);
  await asked;

  await service.stop();

  const { status, headers, text } = await request;
  expect([status, headers.get('retry-after'), headers.get('connection')]).toEqual([503, '5', 'close']);
  expect(JSON.parse(text)).toEqual({ errcode: 'M_UNKNOWN', error: 'The service is stopping' });
  expect(service.logs).toContainEqual(
    expect.objectContaining({ level: 'warn', reason: 'stopping', code: 503 }),
  );
});

it('readiness is 503 for a while before the listeners close, and requests are served', async () => {
  service = await service.restart({ server: { close_delay: '2s' } });

  const stopped = service.stop();

  expect((await fetch(`${service.url}/health/ready`)).status).toBe(503);
  expect((await getKeys(service.url, 'server')).status).toBe(200);
  await stopped;
  await expect(fetch(`${service.url}/health/ready`)).rejects.toThrow('fetch failed');
});

it.each(['0s', '300ms'])(
  'clients that keep asking are answered until they are refused, close_delay %s',
  async (delay) => {
    service = await service.restart({ server: { close_delay: delay } });
    const clients = startBusyClients(service.url, { count: 50, serverName: OWN_NAME });
    await clients.answers(100);

    await service.stop();

    const { errors, statuses } = await clients.ended;
    // A connection that waits to be accepted is reset when the port is closed.
    expect(['ECONNREFUSED', 'ECONNRESET']).toEqual(expect.arrayContaining(errors));
    expect(statuses).toEqual(new Set([200]));
  },
);
