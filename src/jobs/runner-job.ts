import { HOUR_MS, type Clock } from '../core/base/clock.js';
import type { Logger } from '../core/base/logger.js';
import type { JobDefinition } from '../core/job-runner/job-registry.js';
import type { JobStore } from '../core/job-runner/job-store.js';
import type { RunWork } from '../core/job-runner/job-run.js';
import type { JobRunner } from '../core/job-runner/job-runner.js';
import { nextRunTs, type ScheduledJob } from './scheduled-job.js';
import { PeriodicJob } from './periodic-job.js';

/** What jobs are made with whose runs go through the runner. */
export interface RunnerJobOptions {
  runner: JobRunner;
  jobStore: JobStore;
  clock: Clock;
  logger: Logger;
}

type Description = Pick<JobDefinition, 'name' | 'title' | 'description'>;

/** A job that any instance runs, one of them at a time: by the clock when it is due, or for an operator. */
export function runnerJob(
  about: Description,
  how: { intervalMs: number; firstMs?: number; isDue?: () => Promise<boolean>; work: RunWork },
  { runner, jobStore, clock, logger }: RunnerJobOptions,
): ScheduledJob {
  const { name } = about;
  const { intervalMs, firstMs, isDue, work } = how;
  const job = new PeriodicJob({
    name,
    intervalMs,
    firstMs,
    isDue,
    isPaused: () => jobStore.isPaused(name),
    run: async () => {
      await runner.runDue({ job: name, work, cause: 'job' });
    },
    logger,
  });
  return {
    job,
    definition: {
      ...about,
      everyMs: intervalMs,
      designatedInstance: null,
      nextRunTs: () => nextRunTs(job, clock),
      start: (actor) => runner.start({ job: name, work, cause: 'operator', actor }),
    },
  };
}

const BATCH = 500;

/** Deletes old rows every hour, in batches. `prune` gives back how many rows went, which are counted under a name. */
export function pruningJob(
  about: Description,
  rows: {
    retentionMs: number;
    countedAs: string;
    prune: (beforeTs: number, limit: number) => Promise<number>;
  },
  options: RunnerJobOptions,
): ScheduledJob {
  const work: RunWork = async ({ progress }) => {
    const beforeTs = options.clock.now() - rows.retentionMs;
    for (let removed = BATCH; removed === BATCH; progress.add(rows.countedAs, removed)) {
      await progress.checkpoint();
      removed = await rows.prune(beforeTs, BATCH);
    }
  };
  return runnerJob(about, { intervalMs: HOUR_MS, work }, options);
}
