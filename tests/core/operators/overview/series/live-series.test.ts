import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { MINUTE_MS } from '../../../../../src/core/base/clock.js';
import { openDatabase, type Database } from '../../../../../src/core/store/db.js';
import { createLogger } from '../../../../../src/core/base/logger.js';
import { LiveSeries } from '../../../../../src/core/operators/overview/series/live-series.js';
import {
  METRIC_NAMES,
  type MetricName,
} from '../../../../../src/core/operators/overview/series/metric-names.js';
import { MetricRecorder } from '../../../../../src/core/operators/overview/series/metric-recorder.js';
import { MetricStore } from '../../../../../src/core/operators/overview/series/metric-store.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../../../../support/store/databases.js';
import { ManualClock } from '../../../../support/manual-clock.js';

const NOON_TS = Date.UTC(2027, 0, 15, 12, 0, 30);

describe.each(testEngines())('figures up to this moment on %s', (engine) => {
  let home: TestDatabase;
  let database: Database;
  let clock: ManualClock;
  let store: MetricStore;
  let recorder: MetricRecorder;
  let now: Record<MetricName, number>;

  beforeEach(async () => {
    home = await createTestDatabase(engine);
    database = await openDatabase(home.options, createLogger({ level: 'silent' }));
    clock = new ManualClock(NOON_TS);
    store = new MetricStore(database);
    now = Object.fromEntries(METRIC_NAMES.map((name) => [name, 0])) as Record<MetricName, number>;
    recorder = new MetricRecorder({ store, read: () => Promise.resolve({ ...now }), clock, instance: 'one' });
  });

  afterEach(async () => {
    await database.close();
    await home.cleanup();
  });

  const lastHour = async () => {
    const live = new LiveSeries({ store, recorder, clock });
    const [series] = await live.series(['key_fetches'], 'hour');
    return { total: series?.total, latest: series?.values.slice(-2) };
  };

  it('count what is not written yet, in the latest point', async () => {
    now.key_fetches = 3;
    expect(await lastHour()).toEqual({ total: 3, latest: [0, 3] });
    await recorder.record();
    clock.advance(MINUTE_MS);
    now.key_fetches = 5;
    expect(await lastHour()).toEqual({ total: 5, latest: [3, 2] });
  });

  it('count nothing twice when it has been written, nor while it is written', async () => {
    now.key_fetches = 7;
    const writing = recorder.record();
    expect((await lastHour()).total).toBe(7);
    await writing;
    expect((await lastHour()).total).toBe(7);
  });

  it('look again when something is written between the look and the count', async () => {
    now.key_fetches = 7;
    let looks = 0;
    const { stored, pending } = await recorder.beside(async () => {
      const [series] = await store.series(['key_fetches'], 'hour', clock.now());
      looks += 1;
      if (looks === 1) await recorder.record();
      return series?.total;
    });
    expect([looks, stored, pending.get('key_fetches')]).toEqual([2, 7, undefined]);
  });

  it('leave a gain pending when it could not be written', async () => {
    now.key_fetches = 4;
    await database.client.$executeRaw`ALTER TABLE metric_point RENAME TO metric_point_away`;
    await expect(recorder.record()).rejects.toThrow('metric_point');
    await database.client.$executeRaw`ALTER TABLE metric_point_away RENAME TO metric_point`;
    expect((await lastHour()).total).toBe(4);
  });

  it('leave gauges as they were measured last', async () => {
    now.media_bytes = 1000;
    const live = new LiveSeries({ store, recorder, clock });
    expect((await live.series(['media_bytes'], 'day'))[0]?.total).toBe(0);
  });
});
