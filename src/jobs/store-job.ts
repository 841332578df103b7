import type { JobDefinition } from '../core/job-runner/job-definition.js';
import type { JobRunner, RunWork } from '../core/job-runner/job-runner.js';
import { JobRuns } from '../core/job-runner/job-runs.js';
import { mediaJob } from './media-job.js';
import type { MediaJobOptions, ScheduledJob } from './media-job.js';

/** What jobs on the store alone are made with. */
export interface StoreJobOptions extends Pick<MediaJobOptions, 'clock' | 'logger' | 'pauses'> {
  runner: JobRunner;
}

/** A job as operators see it, and what it does. */
interface StoreJob extends Pick<JobDefinition, 'name' | 'title' | 'description'> {
  everyMs: number;
  /** The work of a run that starts at this time, POSIX ms. */
  workAt: (nowTs: number) => RunWork;
  /** Whether to run when it is time; always when absent. */
  isDue?: () => Promise<boolean>;
}

/** A job that any instance may run: a lease keeps it from running twice. */
export function storeJob(
  { name, workAt, isDue = async () => true, ...about }: StoreJob,
  { runner, ...options }: StoreJobOptions,
): ScheduledJob {
  const runs = new JobRuns(runner, name, workAt);
  const run = async () => {
    if (await isDue()) await runs.runDue(options.clock.now());
  };
  const anywhere = { ...options, designatedInstance: null, instance: null };
  return mediaJob(about, { runs, intervalMs: about.everyMs, run }, anywhere);
}

const BATCH = 500;

/** Work that deletes in batches, with `prune` telling how many of at most so many these were. */
export function pruning(counted: string, prune: (most: number) => Promise<number>): RunWork {
  return async ({ progress }) => {
    for (let removed = BATCH; removed === BATCH; progress.add(counted, removed)) {
      await progress.checkpoint();
      removed = await prune(BATCH);
    }
  };
}
