import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../src/core/base/clock.js';
import { createLogger } from '../../../../src/core/base/logger.js';
import { JobLeaseStore } from '../../../../src/core/job-runner/job-lease-store.js';
import { reasonSentence } from '../../../../src/core/job-runner/job-run.js';
import { JobRunStore } from '../../../../src/core/job-runner/job-run-store.js';
import { JobRunner, type RunWork } from '../../../../src/core/job-runner/job-runner.js';
import { LatestRuns } from '../../../../src/core/job-runner/latest-runs.js';
import { RunSkipped } from '../../../../src/core/job-runner/run-progress.js';
import { configurationCheck } from '../../../../src/core/operators/overview/health/configuration-check.js';
import { runChecks } from '../../../../src/core/operators/overview/health/health-check.js';
import { HealthStore } from '../../../../src/core/operators/overview/health/health-store.js';
import {
  jobChecks,
  type JobCheckSources,
  type WatchedJob,
} from '../../../../src/core/operators/overview/health/job-checks.js';
import { openFilesCheck } from '../../../../src/core/operators/overview/health/machine-checks.js';
import { InstanceStore } from '../../../../src/core/operators/overview/instance-store.js';
import { openDatabase, type Database } from '../../../../src/core/store/db.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../../../support/store/databases.js';
import { watchedJob } from '../../../support/watched-job.js';

const logger = createLogger({ level: 'silent' });
const clock = new ManualClock();
const checked = (checks: Parameters<typeof runChecks>[0]) => runChecks(checks, { logger, clock });

it('open files are proved only where the system tells of them', async () => {
  const connections = { configured: 10, admitted: 10 };
  const stateWith = async (limit: number | null, used: number | null) =>
    (await checked([openFilesCheck(() => ({ limit, used, connections }))]))[0]?.state;
  expect(await stateWith(100, 10)).toBe('ok');
  expect([await stateWith(null, 10), await stateWith(100, null)]).toEqual(['unproved', 'unproved']);
});

it('the configuration was proved when it was last read', async () => {
  const readTs = clock.now() - HOUR_MS;
  const [line] = await checked([configurationCheck({ problem: () => null, readTs })]);
  expect(line).toMatchObject({ state: 'ok', provedTs: readTs });
});

describe.each(testEngines())('what proves a line on %s', (engine) => {
  let home: TestDatabase;
  let database: Database;

  beforeEach(async () => {
    home = await createTestDatabase(engine);
    database = await openDatabase(home.options, logger);
  });
  afterEach(async () => {
    await database.close();
    await home.cleanup();
  });

  const cleanupLine = async (cleanup: WatchedJob) => {
    return lineOf('cleanup', { cleanup, latest: new LatestRuns() });
  };
  const lineOf = async (wanted: string, watched: Pick<JobCheckSources, 'cleanup' | 'latest'>) => {
    const instances = new InstanceStore(database);
    const sources = { store: new HealthStore(database), clock, instances, designatedInstance: null };
    const found = await checked(jobChecks({ ...sources, runsMediaJobs: true, ...watched }));
    return found.find(({ key }) => key === wanted);
  };

  it('warns of another job while its last run failed', async () => {
    const leases = new JobLeaseStore(database, clock);
    const runner = new JobRunner({
      store: new JobRunStore(database),
      leases,
      clock,
      logger,
      instance: 'one',
    });
    const run = (job: string, work: RunWork) => runner.runDue({ job, cause: 'job', work });
    const fails: RunWork = () => Promise.reject(new Error('EACCES'));
    const skips: RunWork = () => Promise.reject(new RunSkipped('running_elsewhere'));
    const cleanup = watchedJob(null);
    const seen: string[] = [];
    const look = async () => {
      const line = await lineOf('jobs', { cleanup, latest: runner.latest });
      seen.push(`${line?.state}: ${line?.message}`);
    };
    await look();
    await run(cleanup.runs.job, fails);
    await run('prune_outbox', skips);
    await look();
    await run('prune_audit_log', async () => undefined);
    await look();
    await run('prune_audit_log', fails);
    await look();
    // What is left to another instance proves nothing of it.
    await run('prune_audit_log', skips);
    await run('prune_outbox', skips);
    await look();
    await run('prune_audit_log', async () => undefined);
    await look();
    await runner.close();

    const unproved = 'unproved: No other job has run yet since the start.';
    const fine = 'ok: No other job failed when it ran last.';
    const failed = expect.stringMatching(/^warning: The last run of prune_audit_log failed: .*EACCES/);
    expect(seen).toEqual([unproved, unproved, fine, failed, failed, fine]);
  });

  it('fails when the last cleanup failed, with its reason', async () => {
    const found = await cleanupLine(watchedJob({ outcome: 'failed', reason: 'EACCES' }, clock.now()));
    expect(found).toMatchObject({ state: 'failed', message: expect.stringContaining('EACCES') });
  });

  it('is green for cleanup only while a run ended well lately, wherever it was', async () => {
    const okTs = clock.now() - MINUTE_MS;
    const ok = { outcome: 'ok', reason: null } as const;
    expect(await cleanupLine(watchedJob(null))).toMatchObject({ state: 'unproved', provedTs: null });
    expect(await cleanupLine(watchedJob(ok, okTs))).toMatchObject({ state: 'ok', provedTs: okTs });
    expect(await cleanupLine(watchedJob(ok, okTs - 1))).toMatchObject({
      state: 'warning',
      advice: expect.stringContaining('paused'),
    });
    for (const reason of ['running_elsewhere', 'clock_jumped', 'stopping'] as const) {
      const skipped = { outcome: 'skipped', reason } as const;
      const line = await cleanupLine(watchedJob(skipped, okTs - 1));
      expect([line?.state, line?.message]).toEqual([
        'unproved',
        expect.stringContaining(reasonSentence(reason)!),
      ]);
      expect((await cleanupLine(watchedJob(skipped, okTs)))?.state).toBe('ok');
    }
    const cancelled = { outcome: 'cancelled', reason: 'cancelled' } as const;
    expect(await cleanupLine(watchedJob(cancelled))).toMatchObject({ state: 'unproved', provedTs: null });

    const elsewhere = { job: 'watched', cause: 'job', counts: {}, bytes: 0n, instance: 'other' };
    await database.client.jobRun.create({
      data: { ...elsewhere, outcome: 'ok', startedTs: BigInt(okTs), finishedTs: BigInt(okTs + SECOND_MS) },
    });
    expect(await cleanupLine(watchedJob({ outcome: 'skipped', reason: 'running_elsewhere' }))).toMatchObject({
      state: 'ok',
      provedTs: okTs + SECOND_MS,
    });
  });
});
