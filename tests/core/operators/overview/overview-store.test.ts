import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../src/core/base/clock.js';
import { openDatabase, type Database } from '../../../../src/core/store/db.js';
import { createLogger } from '../../../../src/core/base/logger.js';
import { CountStore, diskBytes } from '../../../../src/core/operators/overview/totals/count-store.js';
import { InstanceStore } from '../../../../src/core/operators/overview/instance-store.js';
import {
  SHARE_KINDS,
  TOOK_MS,
  measureTotals,
  readShares,
} from '../../../../src/core/operators/overview/totals/measure-totals.js';
import {
  METRIC_NAMES,
  type MetricName,
} from '../../../../src/core/operators/overview/series/metric-names.js';
import { MetricRecorder } from '../../../../src/core/operators/overview/series/metric-recorder.js';
import { MetricStore } from '../../../../src/core/operators/overview/series/metric-store.js';
import { recentFailures } from '../../../../src/core/operators/overview/recent-failure-store.js';
import { TotalMeasuring } from '../../../../src/core/operators/overview/totals/total-measuring.js';
import { TotalStore } from '../../../../src/core/operators/overview/totals/total-store.js';
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

  it('counts everything again after a pause, not because a server was started', async () => {
    const totals = new TotalStore(database);
    const start = () => new TotalMeasuring({ database, totals, clock });
    expect(await start().isDue()).toBe(true);
    await start().measure(new AbortController().signal);

    expect(await start().isDue()).toBe(false);
    clock.advance(2 * MINUTE_MS);
    expect(await start().isDue()).toBe(true);

    // What took ten seconds rests for a hundred times as long.
    await totals.replace(new Map([[TOOK_MS, 10 * SECOND_MS]]), clock.now());
    clock.advance(999 * SECOND_MS);
    expect(await start().isDue()).toBe(false);
    clock.advance(SECOND_MS);
    expect(await start().isDue()).toBe(true);
  });

  it('does not ask the database again before the pause is over', async () => {
    const totals = new TotalStore(database);
    const measuring = new TotalMeasuring({ database, totals, clock });
    await measuring.measure(new AbortController().signal);
    expect(await measuring.isDue()).toBe(false);
    await database.client.stateValue.deleteMany({ where: { name: 'totals' } });

    expect(await measuring.isDue()).toBe(false);
    clock.advance(2 * MINUTE_MS);
    expect(await measuring.isDue()).toBe(true);
  });

  describe('the recorder', () => {
    it('writes what counters gained since the last minute, and nothing while nothing happens', async () => {
      const store = new MetricStore(database);
      const now = zeroes();
      const read = () => Promise.resolve({ ...now });
      const recorder = new MetricRecorder({ store, read, clock, instance: 'one' });
      await recorder.record();
      expect(await database.client.metricPoint.count({ where: { metric: 'key_queries' } })).toBe(0);

      now.key_queries = 7;
      await recorder.record();
      clock.advance(MINUTE_MS);
      now.key_queries = 10;
      await recorder.record();
      clock.advance(MINUTE_MS);
      await recorder.record();

      const [series] = await store.series(['key_queries'], 'hour', clock.now());
      expect(series?.values.slice(-3)).toEqual([7, 3, 0]);
      expect(series?.values).toHaveLength(60);
      expect(series?.total).toBe(10);
    });

    it('tells a gain again when it could not be stored', async () => {
      const store = new MetricStore(database);
      const read = () => Promise.resolve({ ...zeroes(), block_hits: 4 });
      const recorder = new MetricRecorder({ store, read, clock, instance: 'one' });
      await database.client.$executeRaw`ALTER TABLE metric_point RENAME TO metric_point_away`;
      await expect(recorder.record()).rejects.toThrow('metric_point');
      await database.client.$executeRaw`ALTER TABLE metric_point_away RENAME TO metric_point`;
      await recorder.record();

      expect((await store.series(['block_hits'], 'hour', clock.now()))[0]?.total).toBe(4);
    });

    it('adds up instances for counters, not for the bytes all of them measure', async () => {
      const store = new MetricStore(database);
      for (const instance of ['one', 'two']) {
        await store.add(
          [
            { metric: 'key_queries', value: 5 },
            { metric: 'media_bytes', value: 1000 },
          ],
          { ts: clock.now(), instance },
        );
      }
      const [queries, bytes] = await store.series(['key_queries', 'media_bytes'], 'day', clock.now());
      expect(queries?.total).toBe(10);
      expect(bytes?.total).toBe(1000);
    });

    it('keeps hours when minutes are gone, and nothing beyond a month', async () => {
      const store = new MetricStore(database);
      await store.add([{ metric: 'key_queries', value: 1 }], {
        ts: clock.now() - 40 * DAY_MS,
        instance: 'a',
      });
      await store.add([{ metric: 'key_queries', value: 2 }], { ts: clock.now() - 2 * DAY_MS, instance: 'a' });
      expect(await store.prune(clock.now())).toBe(3);

      expect((await store.series(['key_queries'], 'day', clock.now()))[0]?.total).toBe(0);
      expect((await store.series(['key_queries'], 'week', clock.now()))[0]?.total).toBe(2);
      expect(await database.client.metricPoint.count()).toBe(1);
    });
  });

  describe('measured totals', () => {
    it('count media and thumbnails by type, day and host', async () => {
      await saveMedia('2027-01-14_aaaaaaaaaaaaaaaa', { host: 'a.example', sizeBytes: 100 });
      await saveMedia('2027-01-14_bbbbbbbbbbbbbbbb', {
        host: 'b.example',
        sizeBytes: 30,
        contentType: 'image/png',
      });
      await saveMedia('2027-01-15_cccccccccccccccc', { host: 'a.example', sizeBytes: 5, missingSinceTs: 1n });
      await saveMedia('2027-01-15_dddddddddddddddd', { sizeBytes: 9, fileRemovedTs: 1n });
      await database.client.mediaThumbnail.create({
        data: {
          mediaId: '2027-01-14_bbbbbbbbbbbbbbbb',
          width: 32,
          height: 32,
          method: 'crop',
          contentType: 'image/png',
          sizeBytes: 12,
        },
      });
      await savePreview('https://a.example/', '2027-01-14_aaaaaaaaaaaaaaaa', '2027-01-14_bbbbbbbbbbbbbbbb');
      const totals = new TotalStore(database);
      await measureTotals({ database, totals, clock }, new AbortController().signal);
      const { values, measuredTs } = await totals.read();

      expect(measuredTs).toBe(clock.now());
      expect(values.get('media.items')).toBe(3);
      expect(values.get('media.bytes')).toBe(130);
      expect(values.get('media.thumbnailBytes')).toBe(12);
      expect(values.get('previews.stored')).toBe(1);
      expect(readShares(values, 'host')).toEqual([
        { name: 'a.example', items: 2, bytes: 100, thumbnailBytes: 0 },
        { name: 'b.example', items: 1, bytes: 42, thumbnailBytes: 12 },
      ]);
      for (const kind of SHARE_KINDS) {
        const bytes = readShares(values, kind).reduce((sum, share) => sum + share.bytes, 0);
        expect(bytes).toBe(diskBytes({ values, measuredTs }));
      }
      expect(readShares(values, 'type').map(({ name }) => name)).toEqual(['text/html', 'image/png']);
      expect(readShares(values, 'day').map(({ name }) => name)).toEqual(['2027-01-15', '2027-01-14']);
    });

    it('end when they are told to', async () => {
      await saveMedia('2027-01-14_aaaaaaaaaaaaaaaa', {});
      const totals = new TotalStore(database);
      await expect(
        measureTotals({ database, totals, clock }, AbortSignal.abort(new Error('told to'))),
      ).rejects.toThrow('told to');
      expect((await totals.read()).measuredTs).toBeNull();
    });
  });

  it('counts what there is: servers by state, previews and media', async () => {
    const nowTs = clock.now();
    await saveServer('fresh.example', { dueTs: nowTs + 1, validUntilTs: nowTs + 2 });
    await saveServer('due.example', { dueTs: nowTs - 1, validUntilTs: nowTs + 2 });
    await saveServer('expired.example', { dueTs: nowTs - 2, validUntilTs: nowTs - 1 }, 3);
    await saveMedia('2027-01-14_aaaaaaaaaaaaaaaa', {});
    await savePreview('https://a.example/', '2027-01-14_aaaaaaaaaaaaaaaa', null);
    const totals = new TotalStore(database);
    const counts = new CountStore({ database, totals, clock });

    expect(await counts.keys()).toEqual({ servers: 3, expired: 1, failing: 1 });
    expect(await counts.previews()).toBe(1);
    expect(await counts.media()).toEqual({ items: 1, diskBytes: 0 });
  });

  it('knows the instances of the last week, the latest seen first', async () => {
    const instances = new InstanceStore(database);
    const info = { startedTs: NOON_TS, version: '1', runsMediaJobs: true, settings: '' };
    await instances.heartbeat({ ...info, name: 'old', lastSeenTs: NOON_TS - 8 * DAY_MS });
    await instances.heartbeat({ ...info, name: 'one', lastSeenTs: NOON_TS - 5 });
    await instances.heartbeat({ ...info, name: 'two', lastSeenTs: NOON_TS });
    expect((await instances.list()).map(({ name }) => name)).toEqual(['two', 'one']);
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
    await database.client.jobRun.create({
      data: { job: 'media_sweep', cause: 'job', startedTs: 30n, outcome: 'failed', counts: {}, bytes: 0n },
    });
    const failures = await recentFailures(database, [
      { url: 'https://x.example/', ts: 20, message: 'timeout' },
    ]);
    expect(failures.map(({ kind, subject }) => [kind, subject])).toEqual([
      ['job', 'media_sweep'],
      ['preview', 'https://x.example/'],
      ['key_fetch', 'odd.example'],
      ['key_fetch', 'bad.example'],
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
