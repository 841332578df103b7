import type { Metrics } from '../core/base/metrics.js';
import type { JobDefinition } from '../core/job-runner/job-definition.js';
import { JobLeaseStore } from '../core/job-runner/job-lease-store.js';
import { JobPauseStore } from '../core/job-runner/job-pause-store.js';
import { JobRegistry } from '../core/job-runner/job-registry.js';
import type { RunReport } from '../core/job-runner/job-run.js';
import { createJobRunList } from '../core/job-runner/job-run-list.js';
import { JobRunStore } from '../core/job-runner/job-run-store.js';
import { JobRunner } from '../core/job-runner/job-runner.js';
import type { JobServices } from '../core/job-runner/job-services.js';
import { COMMAND_INSTANCE } from './instances/instances.js';
import { feature, type ContextParts, type Feature } from './parts.js';

/** Builds the runner; in a server, what a dead process has left behind is closed. `definitions`: all jobs there are. */
export async function createJobServices(
  { mode, metrics, database, clock, logger }: ContextParts,
  { instance, definitions }: { instance: string; definitions: () => readonly JobDefinition[] },
): Promise<JobServices & Feature> {
  const runs = new JobRunStore(database);
  const pauses = new JobPauseStore(database, clock);
  const runner = new JobRunner({
    store: runs,
    leases: new JobLeaseStore(database, clock),
    clock,
    logger,
    instance,
    onFinished: (job, report) => countRun(metrics, job, report),
  });
  if (mode === 'serve') {
    // A server alone on its database has no living colleagues but commands.
    if (database.isShared) await runner.closeDead();
    else await runner.takeOver(COMMAND_INSTANCE);
  }
  const registry = new JobRegistry({ definitions, runner, runs, pauses, instance });
  return feature(
    { runner, runs, runList: createJobRunList(database, runs), pauses, registry, instance },
    {
      start: () => {
        for (const { name: job } of definitions()) {
          for (const outcome of ['ok', 'failed']) metrics.jobRuns.inc({ job, outcome }, 0);
          metrics.jobFailing.set({ job }, 0);
        }
      },
      close: () => runner.close(),
    },
  );
}

function countRun(metrics: Metrics, job: string, { outcome, counts }: RunReport): void {
  const { jobRuns, jobFailing, jobWork } = metrics;
  jobRuns.inc({ job, outcome });
  if (outcome === 'ok' || outcome === 'failed') jobFailing.set({ job }, outcome === 'failed' ? 1 : 0);
  for (const [kind, count] of Object.entries(counts)) if (count > 0) jobWork.inc({ job, kind }, count);
}
