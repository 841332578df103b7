import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { testEngines } from '../../support/store/databases.js';
import { getKeys, isSignedBy, postKey } from '../../support/clients/notary-client.js';
import {
  createTestAuthority,
  startRemoteServer,
  type RemoteServer,
  type TestAuthority,
} from '../../support/origins/remote-server.js';
import { OWN_NAME, startTestService, type TestService } from '../../support/service.js';

describe.each(testEngines())('a server nobody has seen, on %s', (engine) => {
  let authority: TestAuthority;
  let service: TestService;
  let remote: RemoteServer;

  beforeAll(async () => {
    authority = await createTestAuthority();
    service = await startTestService({ engine, caPaths: [authority.caPath] });
    remote = await startRemoteServer(authority, { validUntilTs: service.clock.now() + 3_600_000 });
  });

  afterAll(async () => {
    await service.remove();
    await remote.origin.close();
    await authority.remove();
  });

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
});
