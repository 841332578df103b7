import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/core/base/clock.js';
import { AdminClient } from '../support/clients/admin-client.js';
import { postKey } from '../support/clients/notary-client.js';
import { createToken, preview } from '../support/clients/preview-client.js';
import { respondStatus } from '../support/origins/key-origin.js';
import { makeTestKey } from '../support/origins/key-record-maker.js';
import { startRemoteServer, createTestAuthority } from '../support/origins/remote-server.js';
import { page, startRemoteSite, type RemoteSite } from '../support/origins/remote-site.js';
import type { TestService } from '../support/service.js';
import { testEngines } from '../support/store/databases.js';
import { startTwoInstances, until } from './two-instances.js';
import { setUp } from '../support/set-up.js';

const RESOURCES = ['keys', 'previews', 'media', 'health', 'metrics', 'admin'];

interface Line {
  id: string;
  state: string;
  message: string;
}

describe.runIf(testEngines().includes('postgresql'))('what two instances share', () => {
  const authority = setUp(createTestAuthority);
  const both = setUp(() =>
    startTwoInstances({
      caPaths: [authority.caPath],
      settings: { listeners: [{ port: 0, bind_addresses: ['127.0.0.1'], resources: RESOURCES }] },
    }),
  );
  let site: RemoteSite;
  let admin: AdminClient;

  beforeAll(async () => {
    site = await startRemoteSite();
    admin = await AdminClient.signIn(both.first, 'admin');
  });
  afterAll(() => site.close());

  const instancesLine = async (service: TestService): Promise<Line | undefined> => {
    const checks = await service.context.services.health.look();
    return checks.find(({ id }) => id === 'configuration');
  };

  it('failures of a server on one hold the other back, at the latest after a minute', async () => {
    const remote = await startRemoteServer(authority, { validUntilTs: both.first.clock.now() + HOUR_MS });
    remote.origin.respond = respondStatus(500);
    await postKey(both.second.url, remote.serverName);
    for (let failures = 2; failures <= 7; failures += 1) {
      both.first.clock.advance(MINUTE_MS);
      await postKey(both.first.url, remote.serverName);
      expect(remote.hits()).toBe(failures);
    }

    // After the seventh comes a pause of 80 seconds.
    await postKey(both.second.url, remote.serverName);
    expect(remote.hits()).toBe(7);
    both.first.clock.advance(80 * SECOND_MS);
    await postKey(both.second.url, remote.serverName);
    expect(remote.hits()).toBe(8);
    await remote.origin.close();
  });

  it('a record for which its domain has no room is answered by both when both are asked at once', async () => {
    const keys = [makeTestKey('k1')];
    const remote = await startRemoteServer(authority, {
      keys,
      validUntilTs: both.first.clock.now() + 10 * HOUR_MS,
    });
    await postKey(both.first.url, remote.serverName);
    const { domainUsage } = both.first.context.parts.database.client;
    const where = { domain: '127.0.0.1' };
    const before = await domainUsage.findUniqueOrThrow({ where });
    onTestFinished(async () => {
      await domainUsage.update({ where, data: before });
    });
    await domainUsage.update({ where, data: { bytes: 256n * 1024n ** 2n } });
    remote.publish({ keys: [makeTestKey('k2')] });
    const { respond } = remote.origin;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    remote.origin.respond = (...about) => void released.then(() => respond(...about));

    const asked = [both.first, both.second].map(({ url }) => postKey(url, remote.serverName, 'ed25519:k2'));
    await until(() => remote.hits() > 1);
    release();
    const answers = await Promise.all(asked);

    expect(answers.map(({ records }) => records.length)).toEqual([1, 1]);
    await remote.origin.close();
  });

  it('the cleanup of previews, due on both at once, runs on one', async () => {
    const { database } = both.first.context.parts;
    const row = {
      responseCode: 200,
      etag: null,
      expiresTs: 1n,
      openGraph: '{}',
      createdTs: 1n,
      downloadTs: 1n,
    };
    const expired = Array.from({ length: 1200 }, (_, index) => {
      const id = `2026-01-01_${index}`;
      return { ...row, url: `http://old.test/${index}`, urlSha256: id, mediaId: id };
    });
    await database.client.previewCache.createMany({ data: expired });

    const reports = await Promise.all(
      [both.first, both.second].map(({ context: { services } }) =>
        services.jobs.runner.runDue(services.previews.cleanup),
      ),
    );

    const removed = reports.map(({ counts }) => counts['previews'] ?? 0);
    expect(removed.toSorted((a, b) => a - b)).toEqual([0, 1200]);
    expect(reports.map(({ outcome }) => outcome).toSorted()).toEqual(['ok', 'skipped']);
  });

  it('a token that is revoked on one is refused by the other, which had just verified it', async () => {
    site.pages.set('/known', page('<title>Known</title>'));
    const { token, info } = await both.first.context.access.tokens.create({
      userId: '@bob:notary.test',
      label: '',
      expiresTs: null,
    });
    expect((await preview(both.second, token, site.url('/known'))).status).toBe(200);

    await both.first.context.access.tokens.revoke(info.id);

    // The clock stands still, so nothing that is remembered ends by itself.
    await until(async () => (await preview(both.second, token, site.url('/known'))).status === 401);
  });

  it('a reload on one reaches the other, and health says when their files differ', async () => {
    const rules = { url_preview_url_blacklist: [{ path: '/ruled' }] };
    const token = await createToken(both.first);
    both.second.edit(rules);
    both.first.edit(rules);
    both.first.context.settings.reload({ dryRun: false });
    await until(async () => (await preview(both.second, token, site.url('/ruled'))).status === 403);
    await until(async () => (await instancesLine(both.first))?.state === 'ok');

    both.first.edit({});
    both.first.context.settings.reload({ dryRun: false });

    await until(async () => (await instancesLine(both.second))?.state === 'warning');
    expect(await instancesLine(both.second)).toMatchObject({
      message: 'Different settings on first.',
    });
    both.second.edit({});
    both.second.context.settings.reload({ dryRun: false });
    await until(async () => (await instancesLine(both.second))?.state === 'ok');
    expect((await instancesLine(both.second))?.message).toBe(
      'Valid when it was last read. Other instances: first.',
    );
  });

  it('key records that are deleted on one are no longer answered from the memory of the other', async () => {
    const remote = await startRemoteServer(authority, {
      validUntilTs: both.first.clock.now() + 10 * HOUR_MS,
    });
    for (const { url } of [both.first, both.second])
      expect((await postKey(url, remote.serverName)).records).toHaveLength(1);
    expect(remote.hits()).toBe(1);
    const { server } = await admin.data<{ server: { id: string } }>(
      'query S($name: String!) { server(name: $name) { id } }',
      { name: remote.serverName },
    );

    const deleted = await admin.data<{ deleteKeyRecords: { matched: number } }>(
      'mutation D($ids: [ID!]!) { deleteKeyRecords(ids: $ids) { matched } }',
      { ids: [server.id] },
    );

    expect(deleted.deleteKeyRecords.matched).toBe(1);
    // It is fetched anew.
    both.first.clock.advance(MINUTE_MS);
    await until(async () => {
      await postKey(both.second.url, remote.serverName);
      return remote.hits() === 2;
    });
    await remote.origin.close();
  });
});
