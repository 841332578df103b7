import { beforeAll, describe, expect, it } from 'vitest';

import { respondStatus } from '../../support/origins/key-origin.js';
import { makeTestKey } from '../../support/origins/key-record-maker.js';
import { getKeys, postKey } from '../../support/clients/notary-client.js';
import type { RemoteServer } from '../../support/origins/remote-server.js';
import { OWN_NAME } from '../../support/service.js';
import { DELETE, DIAGNOSE, REFRESH, startKeysKit } from './keys-kit.js';
import { setUp } from '../../support/set-up.js';

describe('what operators do about keys', () => {
  const kit = setUp(startKeysKit);
  let remote: RemoteServer;

  beforeAll(async () => {
    ({ remote } = kit);
  });

  it('diagnose a healthy server with every step OK, and store nothing', async () => {
    remote.publish({ extra: {} });
    await kit.runner.run(REFRESH, { serverName: remote.serverName });
    const { client } = kit.service.context.parts.database;
    const before = [
      await client.keyFetch.count(),
      await client.keyRecord.count(),
      await client.keyEvent.count(),
    ];

    const { data } = await kit.runner.run(
      DIAGNOSE,
      { name: remote.serverName, keyId: remote.key.keyId },
      'operator',
    );

    const { userErrors, ...report } = data.diagnoseServer;
    expect(userErrors).toEqual([]);
    expect(report).toMatchObject({
      serverName: remote.serverName,
      ok: true,
      published: { server_name: remote.serverName },
    });
    const steps = report.steps as { name: string; status: string; message: string }[];
    expect(steps.filter(({ status }) => status !== 'OK' && status !== 'SKIPPED')).toEqual([]);
    expect(steps.find(({ name }) => name === 'allowed')?.message).toContain(
      'is not set: every server is allowed',
    );
    expect(steps.find(({ name }) => name === 'record')?.message).toContain('is signed by a key it lists');
    expect(steps.find(({ name }) => name === 'stored')?.message).toBe('The keys match the stored ones.');
    const after = [
      await client.keyFetch.count(),
      await client.keyRecord.count(),
      await client.keyEvent.count(),
    ];
    expect(after).toEqual(before);
  });

  it('refresh whatever back-off says, and keep what is stored when that fails', async () => {
    remote.origin.respond = respondStatus(503);
    const hits = remote.hits();
    const input = { serverName: remote.serverName };

    for (let attempt = 0; attempt < 5; attempt += 1) await kit.runner.run(REFRESH, input);

    expect(remote.hits()).toBe(hits + 5);
    const failed = await kit.serverOf(remote.serverName);
    expect(failed).toMatchObject({ failCount: 5, keyCount: 1, failureCause: 'ERROR_STATUS' });
    expect(failed.backoffUntil).not.toBeNull();
    const last = failed.lastFetch.steps.at(-1);
    expect(last).toMatchObject({
      name: 'response',
      status: 'FAILED',
      advice: expect.stringContaining('overloaded'),
    });
    remote.publish({});
    const { data } = await kit.runner.run(REFRESH, input);
    expect(data.refreshServerKeys).toMatchObject({
      userErrors: [],
      server: { keyCount: 1, failCount: 0 },
      fetch: { outcome: 'OK', cause: 'operator' },
    });
  });

  it.each([
    ['https://x.example', 'INVALID', 'leave out the scheme'],
    [OWN_NAME, 'INVALID', 'our own name'],
    ['\u0000', 'INVALID', 'not allowed in a server name'],
  ])('refuse to refresh %j', async (serverName, code, message) => {
    const { data, errors } = await kit.runner.run(REFRESH, { serverName });

    expect(errors).toEqual([]);
    expect(data.refreshServerKeys.userErrors).toMatchObject([
      { code, message: expect.stringContaining(message), field: ['serverName'] },
    ]);
  });

  it('delete the records of a server with their keys; a peer who asks gets it fetched anew', async () => {
    const old = makeTestKey('old');
    remote.publish({ oldKeys: [{ key: old, expiredTs: 5 }] });
    await kit.runner.run(REFRESH, { serverName: remote.serverName });
    await getKeys(kit.service.url, `query/${remote.serverName}`);
    const before = (await kit.serverOf(remote.serverName)).records as {
      kind: string;
      expiredAt: string | null;
    }[];
    expect(before.map(({ kind, expiredAt }) => [kind, expiredAt])).toEqual([
      ['VERIFY', null],
      ['OLD', '1970-01-01T00:00:00.005Z'],
    ]);
    const ids = [(await kit.serverOf(remote.serverName)).id];

    const { data } = await kit.runner.run(DELETE, { ids });

    expect(data.deleteKeyRecords).toMatchObject({ userErrors: [], matched: 2, deleted: 2 });
    expect(data.deleteKeyRecords.freedBytes).toBeGreaterThan(100);
    expect(await kit.serverOf(remote.serverName)).toMatchObject({
      keyCount: 0,
      worstState: null,
      validUntil: null,
      records: [],
    });
    expect((await kit.serverOf(remote.serverName)).events.nodes).toContainEqual(
      expect.objectContaining({
        kind: 'RECORD_DELETED',
        severity: 'WARNING',
        message: 'An operator deleted the record with 2 keys.',
      }),
    );
    expect((await kit.runner.run(DELETE, { ids })).data.deleteKeyRecords).toMatchObject({
      userErrors: [{ code: 'NOT_FOUND' }],
      matched: 0,
    });
    expect((await getKeys(kit.service.url, `query/${remote.serverName}`)).records).toEqual([]);
    const hits = remote.hits();
    expect((await postKey(kit.service.url, remote.serverName)).records).toHaveLength(1);
    expect(remote.hits()).toBe(hits + 1);
    expect(await kit.serverOf(remote.serverName)).toMatchObject({ keyCount: 2, worstState: 'FRESH' });
  });

  it('refuse a server that is not on the whitelist, say where that is set, and still show what is stored', async () => {
    const settings = { federation_domain_whitelist: ['other.example'] };
    await kit.restart(settings);
    const hits = remote.hits();

    const { data } = await kit.runner.run(REFRESH, { serverName: remote.serverName });
    const diagnosis = (await kit.runner.run(DIAGNOSE, { name: remote.serverName })).data.diagnoseServer;

    expect(data.refreshServerKeys).toMatchObject({
      userErrors: [
        { code: 'FEDERATION_NOT_ALLOWED', message: expect.stringContaining('federation_domain_whitelist') },
      ],
      server: { keyCount: 2 },
      fetch: null,
    });
    expect(diagnosis).toMatchObject({ ok: false, published: null });
    expect(diagnosis.steps.at(-1)).toMatchObject({
      name: 'allowed',
      status: 'FAILED',
      advice: expect.stringContaining('federation_domain_whitelist'),
    });
    expect(await kit.serverOf(remote.serverName)).toMatchObject({ federationAllowed: false, keyCount: 2 });
    expect((await kit.serverOf(remote.serverName)).records).toHaveLength(2);
    expect(remote.hits()).toBe(hits);
  });
});
