import { describe, expect, it } from 'vitest';

import { HOUR_MS, MINUTE_MS } from '../../../../src/core/base/clock.js';
import { createLogger } from '../../../../src/core/base/logger.js';
import { LatestRuns } from '../../../../src/core/job-runner/job-runner.js';
import {
  failureShareCheck,
  jobCheck,
  limitsCheck,
  type Limit,
} from '../../../../src/core/operators/health/checks/work.js';
import {
  type Check,
  failed,
  type Finding,
  Health,
  ok,
} from '../../../../src/core/operators/health/health.js';
import type { ReadSeries } from '../../../../src/core/operators/overview/series/metric-store.js';
import { ManualClock } from '../../../support/manual-clock.js';

const logger = createLogger({ level: 'silent' });

describe('the share of failures', () => {
  const found = (attempts: number, failures: number) => {
    const totals = [attempts, failures];
    const series = async () => totals.map((total) => ({ total, points: [] }));
    const check = failureShareCheck({
      id: 'key_fetches',
      title: 'Key fetches',
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- totals are all that is read
      series: series as unknown as ReadSeries,
      attempts: 'key_fetches',
      failures: ['key_fetch_failures'],
      reasons: async () => ['dns_failure', 'timeout_connect', 'tls_expired'],
      noun: 'key fetches',
      advice: 'a',
      href: '/keys',
      failuresHref: '/keys?failing=true',
    });
    return check.check();
  };

  it.each([
    [0, 0, 'not_yet_proved'],
    [100, 9, 'ok'],
    [100, 10, 'warning'],
    [100, 49, 'warning'],
    [100, 50, 'failed'],
    [9, 9, 'warning'],
    [10, 10, 'failed'],
  ])('of %i attempts %i failed: %s', async (attempts, failures, state) => {
    expect((await found(attempts, failures)).state).toBe(state);
  });

  it('names the two commonest reasons', async () => {
    const message = '12 of 100 key fetches failed in the last hour, mostly dns_failure and timeout_connect.';
    expect(await found(100, 12)).toMatchObject({ message });
  });
});

describe('limits', () => {
  const limit = (isHarmless: boolean): Limit => ({
    title: 'Key fetch queue',
    bounds: { lately: [{ bound: 'total', times: 3 }] },
    settings: { total: 'federation.max_concurrent_fetches' },
    isHarmless: () => isHarmless,
  });
  const words = 'Key fetch queue, federation.max_concurrent_fetches, 3 times';

  it.each([
    [[], 'ok', 'No limit was reached in the last hour.'],
    [[limit(true)], 'ok', `Reached in the last hour: ${words}.`],
    [[limit(true), limit(false)], 'warning', `Reached in the last hour: ${words}.`],
  ])('%# are named', async (limits, state, message) => {
    expect(await limitsCheck(() => limits).check()).toMatchObject({ state, message });
  });
});

describe('jobs', () => {
  const clock = new ManualClock();
  const at = (outcome: 'ok' | 'failed') => ({
    outcome,
    reason: outcome === 'ok' ? null : 'disk_full',
    counts: {},
    bytes: 0,
    startedTs: clock.now(),
  });
  const check = (latest: LatestRuns, paused: string[] = []) =>
    jobCheck({
      latest,
      pausedJobs: async () => paused,
      cleanup: { job: 'cleanup', intervalMs: 10_000 },
      clock,
    }).check();

  it('are red when the cleanup fails, amber when another one does, is paused or late, and grey before the first', async () => {
    const latest = new LatestRuns();
    expect(await check(latest)).toMatchObject({ state: 'not_yet_proved' });
    latest.note('cleanup', at('ok'));
    expect(await check(latest)).toMatchObject({ state: 'ok' });
    expect(await check(latest, ['sweep'])).toMatchObject({ state: 'warning', message: 'Paused: sweep.' });
    latest.note('sweep', at('failed'));
    expect(await check(latest)).toMatchObject({ state: 'warning' });
    latest.note('sweep', at('ok'));
    clock.advance(2 * MINUTE_MS);
    expect(await check(latest)).toMatchObject({ state: 'warning' });
    latest.note('cleanup', at('failed'));
    expect(await check(latest)).toMatchObject({
      state: 'failed',
      message: 'The last run of cleanup failed: disk_full.',
    });
  });

  it('are red when the instance that is to clean up is gone', async () => {
    const cleaner = { name: 'first', isAlive: async () => false };
    const cleanup = { job: 'cleanup', intervalMs: 10_000 };
    const elsewhere = jobCheck({
      latest: new LatestRuns(),
      pausedJobs: async () => [],
      cleanup,
      cleaner,
      clock,
    });
    expect(await elsewhere.check()).toMatchObject({ state: 'failed' });
  });
});

describe('the health list', () => {
  const start = (result: () => Promise<Finding>) => {
    const clock = new ManualClock();
    const probe: Check = { id: 'dns', title: 'DNS', how: 'h', isProbe: true, check: result };
    const quick: Check = { id: 'database', title: 'Database', how: 'h', check: async () => ok('Works.') };
    const health = new Health({ checks: () => [quick, probe], clock, logger });
    return { clock, health };
  };

  it('keeps what a probe found, with its time, and calls it unproved when it is old', async () => {
    let calls = 0;
    const { clock, health } = start(async () => {
      calls += 1;
      return failed('No answer.', 'a');
    });
    expect(await health.look()).toMatchObject([
      { id: 'dns', state: 'not_yet_proved', provedTs: null },
      { state: 'ok' },
    ]);
    await Promise.all([health.probe(), health.probe()]);
    expect(calls).toBe(1);
    const provedTs = clock.now();
    clock.advance(10 * MINUTE_MS);
    expect(await health.look()).toMatchObject([
      { id: 'dns', state: 'failed', provedTs },
      { id: 'database', state: 'ok', provedTs: clock.now() },
    ]);
    clock.advance(HOUR_MS);
    expect((await health.look())[0]).toMatchObject({ state: 'not_yet_proved', provedTs });
  });

  it('takes a check that breaks for a failed one', async () => {
    const { health } = start(() => Promise.reject(new Error('broken')));
    await health.probe();
    expect((await health.look())[0]).toMatchObject({ id: 'dns', state: 'failed' });
  });
});
