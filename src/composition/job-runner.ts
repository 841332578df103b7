import type { Metrics } from '../core/base/metrics.js';
import { JobRegistry, type JobDefinition, type JobServices } from '../core/job-runner/job-registry.js';
import type { RunReport } from '../core/job-runner/job-run.js';
import { JobRunStore, createJobRunList } from '../core/job-runner/job-run-store.js';
import { JobRunner } from '../core/job-runner/job-runner.js';
import { JobStore } from '../core/job-runner/job-store.js';
import { feature, type ContextParts, type Feature } from './parts.js';

/** Builds the runner and closes what a dead process left behind. `definitions`: all jobs. */
export async function createJobServices(
  { metrics, database, clock, logger }: ContextParts,
  { instance, definitions }: { instance: string; definitions: () => readonly JobDefinition[] },
): Promise<JobServices & Feature> {
  const runs = new JobRunStore(database);
  const store = new JobStore(database, clock);
  const runner = new JobRunner({
    runs,
    store,
    clock,
    logger,
    instance,
    onFinished: (job, report) => countRun(metrics, job, report),
  });
  if (database.isShared) await runner.closeDead();
  else await runner.takeOver();
  const registry = new JobRegistry({ definitions, runner, runs, store, instance });
  return feature(
    { runner, runs, runList: createJobRunList(database, runs), jobStore: store, registry, instance },
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
