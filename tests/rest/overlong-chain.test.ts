import { afterEach, beforeEach, expect, it } from 'vitest';

import { postKey } from '../support/clients/notary-client.js';
import {
  createTestAuthority,
  startRemoteServer,
  type RemoteServer,
  type TestAuthority,
} from '../support/origins/remote-server.js';
import { startTestService, type TestService } from '../support/service.js';
import { overlongChain } from '../support/origins/test-ca.js';

let authority: TestAuthority;
let service: TestService;
let remote: RemoteServer;

beforeEach(async () => {
  authority = await createTestAuthority();
  service = await startTestService({ caPaths: [authority.caPath] });
  remote = await startRemoteServer(
    { ...authority, leaf: () => overlongChain(authority) },
    { validUntilTs: service.clock.now() + 3_600_000 },
  );
});
afterEach(async () => {
  await service.remove();
  await remote.origin.close();
  await authority.remove();
});

it('an overlong chain of certificates is refused before it is read, counted and logged', async () => {
  expect((await postKey(service.url, remote.serverName)).records).toEqual([]);

  expect(remote.hits()).toBe(0);
  expect(await (await fetch(`${service.url}/metrics`)).text()).toContain(
    'vidimus_key_fetch_total{outcome="failed",reason="tls_too_large"} 1',
  );
  expect(service.logs.some((line) => JSON.stringify(line).includes('tls_too_large'))).toBe(true);
});
