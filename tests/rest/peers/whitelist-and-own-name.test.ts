import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { getKeys, postKey, postKeys } from '../../support/clients/notary-client.js';
import {
  createTestAuthority,
  startRemoteServer,
  type RemoteServer,
} from '../../support/origins/remote-server.js';
import { OWN_NAME, startTestService, type TestService } from '../../support/service.js';
import { setUp } from '../../support/set-up.js';

const HOUR_MS = 3_600_000;

describe('the federation whitelist (SPEC §4.4.6)', () => {
  const authority = setUp(createTestAuthority);
  let service: TestService;
  let known: RemoteServer;
  let unknown: RemoteServer;

  beforeAll(async () => {
    service = await startTestService({ caPaths: [authority.caPath] });
    const validUntilTs = service.clock.now() + HOUR_MS;
    known = await startRemoteServer(authority, { validUntilTs });
    unknown = await startRemoteServer(authority, { validUntilTs });
    await postKey(service.url, known.serverName);
  });
  afterAll(async () => {
    await service.remove();
    await Promise.all([known.origin.close(), unknown.origin.close()]);
  });

  const attempts = () => known.origin.connections + unknown.origin.connections;

  it.each([
    ['is empty', () => []],
    ['names the host without the port', () => ['127.0.0.1']],
    ['names another port', () => ['127.0.0.1:1']],
    ['names others', () => ['other.example']],
  ])('lets nobody be fetched when it %s; what is stored is served, stale or not', async (_what, list) => {
    service = await service.restart({ federation_domain_whitelist: list() });
    const before = attempts();
    service.clock.advance(HOUR_MS);
    const answer = await postKeys(service.url, {
      server_keys: {
        [known.serverName]: { 'ed25519:k1': {}, 'ed25519:none': {} },
        [unknown.serverName]: { 'ed25519:k1': {} },
      },
    });
    expect(answer.records.map((record) => record.server_name)).toEqual([known.serverName]);
    expect((await getKeys(service.url, `query/${known.serverName}`)).records).toHaveLength(1);
    expect((await getKeys(service.url, `query/${unknown.serverName}/ed25519:k1`)).records).toEqual([]);
    expect(attempts()).toBe(before);
  });

  it('lets a server be fetched that it names with its port', async () => {
    service = await service.restart({ federation_domain_whitelist: [unknown.serverName] });
    const before = known.hits();
    const criteria = { 'ed25519:k1': {} };
    const answer = await postKeys(service.url, {
      server_keys: { [known.serverName]: criteria, [unknown.serverName]: criteria },
    });
    expect(answer.records).toHaveLength(2);
    expect([known.hits() - before, unknown.hits()]).toEqual([0, 1]);
  });
});

describe('our own name', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.remove());

  const ownRecord = async () => {
    const { text } = await getKeys(service.url, 'server');
    return { text, keyId: Object.keys((JSON.parse(text) as { verify_keys: object }).verify_keys)[0] ?? '' };
  };

  it('is answered with the record we publish, in every form', async () => {
    const { text, keyId } = await ownRecord();
    const answers = await Promise.all([
      getKeys(service.url, `query/${OWN_NAME}`),
      getKeys(service.url, `query/${OWN_NAME}/${keyId}`),
      getKeys(service.url, `query/${OWN_NAME}/${keyId}?minimum_valid_until_ts=9000000000000000`),
      postKey(service.url, OWN_NAME, keyId),
      postKey(service.url, OWN_NAME, keyId, { minimum_valid_until_ts: 9e15 }),
      postKeys(service.url, { server_keys: { [OWN_NAME]: {} } }),
    ]);
    expect(new Set(answers.map((answer) => answer.text))).toEqual(new Set([`{"server_keys":[${text}]}`]));
    for (const path of ['server/', `server/${keyId}`, 'server/ed25519:none']) {
      expect((await getKeys(service.url, path)).text).toBe(text);
    }
  });

  it('is answered with nothing for a key id that is not ours, and nobody is asked', async () => {
    expect((await postKey(service.url, OWN_NAME, 'ed25519:none')).text).toBe('{"server_keys":[]}');
    expect((await getKeys(service.url, `query/${OWN_NAME}/ed25519:none`)).text).toBe('{"server_keys":[]}');
    expect(await service.context.parts.database.client.keyFetch.count()).toBe(0);
  });

  it('is answered beside others, and stays fresh: renewed past half of its life', async () => {
    const { text, keyId } = await ownRecord();
    service.clock.advance(13 * HOUR_MS);
    const answer = await postKeys(service.url, {
      server_keys: { [OWN_NAME]: { [keyId]: {} }, 'nobody.invalid:1': {} },
    });
    expect(answer.text).toBe(`{"server_keys":[${(await ownRecord()).text}]}`);
    expect((await ownRecord()).text).not.toBe(text);
  });
});
