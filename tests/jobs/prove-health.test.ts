import { afterEach, beforeEach, expect, it } from 'vitest';

import { createLogger } from '../../src/core/base/logger.js';
import { fine } from '../../src/core/operators/overview/health/health-check.js';
import { PROBE_INTERVAL_MS, type Probe } from '../../src/core/operators/probes/probe.js';
import { ProbeStore } from '../../src/core/operators/probes/probe-store.js';
import { PeriodicJob } from '../../src/jobs/periodic-job.js';
import { probeJob } from '../../src/jobs/prove-health.js';
import { startTestService, type TestService } from '../support/service.js';

const logger = createLogger({ level: 'silent' });
let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.remove());

function probeOf(subject: string, tried: string[]): Probe {
  return {
    line: { key: 'test', title: 'Test', how: 'tried' },
    job: { name: 'prove_test', title: 'Test', description: 'Tries' },
    subject,
    prove: async () => {
      tried.push(subject);
      return fine('It works.');
    },
  };
}

it('tries a probe when it was not tried lately, by whichever instance, and when its subject is another', async () => {
  const { context, clock } = service;
  const { runner, pauses } = context.services.jobs;
  const store = new ProbeStore(context.parts.database);
  const tried: string[] = [];
  const jobOf = (subject: string) =>
    probeJob(probeOf(subject, tried), { store, runner, pauses, clock, logger }).job;

  await jobOf('one')?.trigger();
  await jobOf('one')?.trigger();
  expect(tried).toEqual(['one']);
  expect(await store.find('test', 'one')).toMatchObject({ state: 'ok', provedTs: clock.now() });

  clock.advance(PROBE_INTERVAL_MS);
  await jobOf('one')?.trigger();
  expect(tried).toEqual(['one', 'one']);
  await jobOf('other')?.trigger();
  expect(tried).toEqual(['one', 'one', 'other']);
});

it('a job with a first time of its own does not wait for its interval', async () => {
  await new Promise<void>((resolve) => {
    const job = new PeriodicJob({
      name: 'soon',
      intervalMs: 3_600_000,
      firstMs: 1,
      logger,
      run: async () => resolve(),
    });
    job.start();
    // Timers do not keep a process alive; this one is waited for.
    expect(job.dueInMs).toBeLessThanOrEqual(1);
  });
});
