import { beforeAll, describe, expect, it } from 'vitest';

import { respondJson } from '../../support/origins/key-origin.js';
import { makeTestKey } from '../../support/origins/key-record-maker.js';
import { postKey } from '../../support/clients/notary-client.js';
import type { RemoteServer } from '../../support/origins/remote-server.js';
import { OWN_NAME } from '../../support/service.js';
import { HOUR_MS, REFRESH, SERVER, startKeysKit } from './keys-kit.js';
import { setUp } from '../../support/set-up.js';

describe('keys for operators', () => {
  const kit = setUp(startKeysKit);
  let remote: RemoteServer;

  beforeAll(async () => {
    ({ remote } = kit);
  });

  it('show a server with its keys, signatures, fetches and events', async () => {
    remote.publish({ extra: { big: 9_007_199_254_740_993n, __proto: 1, '<b>': '\u202e' } });
    await postKey(kit.service.url, remote.serverName);

    const { data, errors } = await kit.runner.run(SERVER, { name: remote.serverName });

    expect(errors).toEqual([]);
    const { server } = data;
    expect(server).toMatchObject({
      name: remote.serverName,
      federationAllowed: true,
      worstState: 'FRESH',
      keyCount: 1,
      failCount: 0,
      backoffUntil: null,
      addedAt: new Date(kit.service.clock.now()).toISOString(),
      validUntil: new Date(kit.service.clock.now() + 10 * HOUR_MS).toISOString(),
      refetchAfter: new Date(kit.service.clock.now() + 5 * HOUR_MS).toISOString(),
      lastFetch: { outcome: 'OK', cause: 'query' },
      fetches: { nodes: [{ outcome: 'OK' }], pageInfo: { hasNextPage: false }, totalCount: 1 },
    });
    const [record] = server.records;
    expect(record).toMatchObject({
      keyId: remote.key.keyId,
      kind: 'VERIFY',
      key: remote.key.publicKey,
      state: 'FRESH',
    });
    expect(record.published.big).toBe('9007199254740993');
    expect(record.published['<b>']).toBe('\u202e');
    expect(record.signatures).toMatchObject([
      { signer: remote.serverName, keyId: remote.key.keyId, valid: true, message: null },
    ]);
    expect(server.events.nodes.map((event: { kind: string }) => event.kind)).toEqual([
      'KEY_ADDED',
      'SERVER_FIRST_SEEN',
    ]);
    expect(server.events.nodes[0].message).toBe('The key "ed25519:k1" appeared.');
    const steps = server.lastFetch.steps as { title: string; startedAtMs: number }[];
    expect(steps.map(({ title }) => title)).toEqual(expect.arrayContaining(['Certificate', 'Key record']));
  });

  it('tell good from bad signatures, those of other servers and those under our name', async () => {
    const other = makeTestKey('other');
    const record = JSON.parse(remote.publish({ extra: {} }).toString());
    record.signatures[OWN_NAME] = { 'ed25519:fake': 'AAAA' };
    record.signatures['x.example'] = { [other.keyId]: 'AAAA' };
    remote.origin.respond = respondJson(JSON.stringify(record));
    await kit.runner.run(REFRESH, { serverName: remote.serverName });

    const { signatures } = (await kit.serverOf(remote.serverName)).records[0];

    expect(signatures).toMatchObject([
      { signer: remote.serverName, valid: true },
      {
        signer: OWN_NAME,
        keyId: 'ed25519:fake',
        valid: false,
        message: expect.stringContaining('peers do not get it'),
      },
      { signer: 'x.example', valid: false, message: expect.stringContaining('does not list this key') },
    ]);
  });

  it('know nothing of names nobody asked about, nor of names that are none', async () => {
    expect(await kit.serverOf('unknown.example')).toBeNull();
    expect(await kit.serverOf('\u0000')).toBeNull();
  });

  it('show our own keys with lines for peers', async () => {
    const { data } = await kit.runner.run(
      `{ signingKeys { keyId publicKey active fingerprint retiredAt } keyRotation { peerSnippets { text } } }`,
    );

    const [key] = data.signingKeys;
    expect(key).toMatchObject({ active: true, retiredAt: null });
    expect(key.fingerprint).toMatch(/^([0-9a-f]{4} ){15}[0-9a-f]{4}$/);
    expect(data.keyRotation.peerSnippets.map(({ text }: { text: string }) => text)).toEqual([
      `trusted_key_servers:\n  - server_name: "${OWN_NAME}"\n    verify_keys:\n      "${key.keyId}": "${key.publicKey}"\n`,
      `federation_api:\n  key_perspectives:\n    - server_name: "${OWN_NAME}"\n      keys:\n        - key_id: "${key.keyId}"\n          public_key: "${key.publicKey}"\n`,
      `[global]\ntrusted_servers = [{ server_name = "${OWN_NAME}", verify_keys = ["${key.publicKey}"] }]\n`,
      `[global]\ntrusted_servers = ["${OWN_NAME}"]\n`,
    ]);
  });
});
