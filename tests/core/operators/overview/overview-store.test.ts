import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { HOUR_MS, MINUTE_MS } from '../../../../src/core/base/clock.js';
import { openDatabase, type Database } from '../../../../src/core/store/db.js';
import { createLogger } from '../../../../src/core/base/logger.js';
import {
  METRIC_NAMES,
  type MetricName,
  MetricStore,
} from '../../../../src/core/operators/overview/series/metric-store.js';
import {
  fetchFailureReasons,
  recentFailures,
} from '../../../../src/core/operators/overview/recent-failure-store.js';
import { StoredCounts } from '../../../../src/core/operators/overview/overview.js';
import { PreviewCache } from '../../../../src/core/preview/pipeline/preview-cache.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../../../support/store/databases.js';
import { ManualClock } from '../../../support/manual-clock.js';

const NOON_TS = Date.UTC(2027, 0, 15, 12, 0, 30);

describe.each(testEngines())('figures for operators on %s', (engine) => {
  let home: TestDatabase;
  let database: Database;
  let clock: ManualClock;

  beforeEach(async () => {
    home = await createTestDatabase(engine);
    database = await openDatabase(home.options, createLogger({ level: 'silent' }));
    clock = new ManualClock(NOON_TS);
  });

  afterEach(async () => {
    await database.close();
    await home.cleanup();
  });

  const zeroes = () =>
    Object.fromEntries(METRIC_NAMES.map((name) => [name, 0])) as Record<MetricName, number>;

  describe('figures over time', () => {
    const storeOf = (read: () => Record<MetricName, number>, instance = 'one') =>
      new MetricStore({ database, clock, instance, read: () => Promise.resolve(read()) });

    it('are what counters gained, and nothing while nothing happens', async () => {
      let queries = 0;
      const store = storeOf(() => ({ ...zeroes(), key_queries: queries }));
      await store.record();
      expect(await database.client.metricPoint.count({ where: { metric: 'key_queries' } })).toBe(0);

      queries = 7;
      await store.record();
      clock.advance(5 * MINUTE_MS);
      queries = 10;
      await store.record();
      clock.advance(5 * MINUTE_MS);
      await store.record();

      const [series] = await store.series(['key_queries'], 'hour');
      expect(series?.values.slice(-3)).toEqual([7, 3, 0]);
      expect(series?.values).toHaveLength(12);
      expect(series?.total).toBe(10);
    });

    it('add up instances for counters, not for the bytes all of them measure', async () => {
      const read = () => ({ ...zeroes(), key_queries: 5, media_bytes: 1000 });
      for (const instance of ['one', 'two']) await storeOf(read, instance).record();

      const [queries, bytes] = await storeOf(read).series(['key_queries', 'media_bytes'], 'day');
      expect(queries?.total).toBe(10);
      expect(bytes?.total).toBe(1000);
    });
  });

  it('counts servers by state, previews and media, and the space of media by type, host and user', async () => {
    const nowTs = clock.now();
    await saveServer('fresh.example', { dueTs: nowTs + 1, validUntilTs: nowTs + 2 });
    await saveServer('due.example', { dueTs: nowTs - 1, validUntilTs: nowTs + 2 });
    await saveServer('expired.example', { dueTs: nowTs - 2, validUntilTs: nowTs - 1 }, 3);
    await saveMedia('2027-01-14_aaaaaaaaaaaaaaaa', { host: 'a.example', sizeBytes: 2e9 });
    const image = { host: 'b.example', sizeBytes: 2e9 - 1, contentType: 'image/png' };
    await saveMedia('2027-01-14_bbbbbbbbbbbbbbbb', image);
    await saveMedia('2027-01-15_cccccccccccccccc', { host: 'a.example', sizeBytes: 5, missingSinceTs: 1n });
    await saveMedia('2027-01-15_dddddddddddddddd', { sizeBytes: 9, fileRemovedTs: 1n });
    const thumbnail = { width: 32, height: 32, method: 'crop', contentType: 'image/png', sizeBytes: 12 };
    await database.client.mediaThumbnail.create({
      data: { mediaId: '2027-01-14_bbbbbbbbbbbbbbbb', ...thumbnail },
    });
    await savePreview('https://a.example/', '2027-01-14_aaaaaaaaaaaaaaaa', '2027-01-14_bbbbbbbbbbbbbbbb');
    const counts = new StoredCounts(database, () => clock.now());

    expect(await counts.totals()).toEqual({
      servers: 3,
      expiredServers: 1,
      failingServers: 1,
      previews: 1,
      media: 3,
      mediaBytes: 4_000_000_011,
    });
    expect(await counts.space()).toEqual({
      diskBytes: 4_000_000_011,
      byType: [
        { name: 'text/html; charset=utf-8', items: 1, bytes: 2e9 },
        { name: 'image/png', items: 1, bytes: 2e9 - 1 },
      ],
      byHost: [
        { name: 'a.example', items: 1, bytes: 2e9 },
        { name: 'b.example', items: 1, bytes: 2e9 - 1 },
      ],
      byOwner: [{ name: '@alice:example.org', items: 2, bytes: 4e9 - 1 }],
    });
  });

  it('counts anew after ten seconds, although the count after a start is a slow one', async () => {
    let nowMs = 0;
    const clockOfTimes = vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    const counts = new StoredCounts(database, () => clock.now());
    const first = counts.totals();
    nowMs = 400;
    expect((await first).previews).toBe(0);
    await savePreview('https://a.example/', 'a', null);
    nowMs = 9_999;
    expect((await counts.totals()).previews).toBe(0);
    nowMs = 10_000;
    expect((await counts.totals()).previews).toBe(1);
    clockOfTimes.mockRestore();
  });

  it('tells the latest failures of fetches, runs and previews, newest first', async () => {
    const fetched = { startedTs: 10n, durationMs: 1, outcome: 'failed', cause: 'query', steps: [] };
    // A rule refused the second: nothing of it is broken.
    const reasons = {
      'bad.example': 'dns_no_addresses',
      'private.example': 'address_blocked',
      'odd.example': null,
    };
    await database.client.keyFetch.createMany({
      data: Object.entries(reasons).map(([serverName, reason]) => ({ ...fetched, serverName, reason })),
    });
    await database.client.keyFetch.create({
      data: { ...fetched, startedTs: 0n, serverName: 'early.example', reason: 'address_blocked' },
    });
    expect(await fetchFailureReasons(database, 0)).toEqual(['address_blocked', 'dns_no_addresses']);
    expect(await fetchFailureReasons(database, HOUR_MS)).toEqual([]);
    await database.client.jobRun.create({
      data: { job: 'media_sweep', cause: 'job', startedTs: 30n, outcome: 'failed', counts: {}, bytes: 0n },
    });
    const cache = new PreviewCache({
      clock: new ManualClock(20),
      maxBytes: 10_000,
      failureLifetimeMs: () => HOUR_MS,
    });
    await cache.get({ url: 'https://x.example/', userId: '@a:test' }, () =>
      Promise.reject(new Error('timeout')),
    );
    const failures = await recentFailures(database, cache);
    expect(failures.map(({ title, subject }) => [title, subject])).toEqual([
      ['Job', 'media_sweep'],
      ['Preview', 'https://x.example/'],
      ['Key fetch', 'odd.example'],
      ['Key fetch', 'bad.example'],
    ]);
  });

  async function saveMedia(mediaId: string, data: object): Promise<void> {
    await database.client.media.create({
      data: {
        mediaId,
        userId: '@alice:example.org',
        createdTs: BigInt(Date.parse(mediaId.slice(0, 10))),
        contentType: 'text/html; charset=utf-8',
        sizeBytes: 1,
        sha256: '00',
        urlCache: 'https://a.example/',
        ...data,
      },
    });
  }

  async function savePreview(url: string, mediaId: string, imageMediaId: string | null): Promise<void> {
    await database.client.previewCache.create({
      data: {
        url,
        urlSha256: '00',
        responseCode: 200,
        expiresTs: BigInt(clock.now() + HOUR_MS),
        openGraph: '{}',
        mediaId,
        imageMediaId,
        createdTs: BigInt(clock.now()),
        downloadTs: BigInt(clock.now()),
      },
    });
  }

  async function saveServer(
    serverName: string,
    { dueTs, validUntilTs }: { dueTs: number; validUntilTs: number },
    failCount = 0,
  ): Promise<void> {
    await database.client.remoteServer.create({
      data: {
        serverName,
        firstAskedTs: 1n,
        failCount,
        addedTs: 1n,
        dueTs: BigInt(dueTs),
        validUntilTs: BigInt(validUntilTs),
      },
    });
  }
});
