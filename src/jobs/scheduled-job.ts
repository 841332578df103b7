import type { Clock } from '../core/base/clock.js';
import { ApiError } from '../core/base/errors/api-error.js';
import type { Logger } from '../core/base/logger.js';
import type { JobDefinition } from '../core/job-runner/job-registry.js';
import type { JobRuns } from '../core/job-runner/job-runs.js';
import type { JobStore } from '../core/job-runner/job-store.js';
import { PeriodicJob, type PeriodicJobOptions } from './periodic-job.js';

/** A job as operators see it, and what runs it here; `job` is `null` when nothing does by the clock. */
export interface ScheduledJob {
  definition: JobDefinition;
  job: PeriodicJob | null;
}

export interface JobParts {
  jobStore: JobStore;
  clock: Clock;
  logger: Logger;
}

/** Settings media_instance_running_background_jobs and jobs.instance; `null`: none. */
export interface JobInstance {
  designatedInstance: string | null;
  instance: string | null;
}

/** What a job is called, and when it runs. */
export interface JobPlan
  extends Pick<JobDefinition, 'title' | 'description'>, Pick<PeriodicJobOptions, 'firstMs'> {
  intervalMs: number;
  /** Absent: on any instance. */
  at?: JobInstance;
}

const ANYWHERE: JobInstance = { designatedInstance: null, instance: null };

/** A job that one instance at a time runs, or the designated one alone: when it is due, or for an operator. */
export function scheduledJob(
  { title, description, at = ANYWHERE, ...plan }: JobPlan,
  runs: JobRuns,
  { jobStore, clock, logger }: JobParts,
): ScheduledJob {
  const name = runs.job;
  const run = async (): Promise<void> => void (await runs.runDue(clock.now()));
  const job = runsHere(at)
    ? new PeriodicJob({ ...plan, name, run, logger, isPaused: () => jobStore.isPaused(name) })
    : null;
  const { designatedInstance } = at;
  return {
    job,
    definition: {
      name,
      title,
      description,
      everyMs: plan.intervalMs,
      designatedInstance,
      nextRunTs: () => {
        const dueInMs = job?.dueInMs ?? null;
        return dueInMs === null ? null : Math.round(clock.now() + dueInMs);
      },
      start: (actor) => {
        if (job !== null) return runs.start(clock.now(), actor);
        const message = `This job runs on the instance ${designatedInstance} only`;
        throw new ApiError(409, message, { reason: 'designated_elsewhere' });
      },
    },
  };
}

/** Whether a job runs on this instance: on the designated one, or on every one when none is. */
export function runsHere({ designatedInstance, instance }: JobInstance): boolean {
  return designatedInstance === null || designatedInstance === instance;
}
