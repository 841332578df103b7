import type { Clock } from '../core/base/clock.js';
import { ApiError } from '../core/base/errors/api-error.js';
import type { JobDefinition } from '../core/job-runner/job-registry.js';
import type { JobStore } from '../core/job-runner/job-store.js';
import type { JobRuns } from '../core/job-runner/job-runs.js';
import type { Logger } from '../core/base/logger.js';
import { PeriodicJob, type PeriodicJobOptions } from './periodic-job.js';
import { nextRunTs, type ScheduledJob } from './scheduled-job.js';

export interface MediaJobOptions {
  clock: Clock;
  logger: Logger;
  jobStore: JobStore;
  /** Setting media_instance_running_background_jobs; `null`: no instance is designated. */
  designatedInstance: string | null;
  /** Setting jobs.instance: our own name. */
  instance: string | null;
}

interface MediaJobWork extends Pick<PeriodicJobOptions, 'intervalMs' | 'firstMs' | 'isDue' | 'run'> {
  runs: JobRuns;
}

/** A job that only the designated instance runs, since it alone may hold the files. */
export function mediaJob(
  about: Pick<JobDefinition, 'title' | 'description' | 'everyMs'>,
  { runs, ...work }: MediaJobWork,
  options: MediaJobOptions,
): ScheduledJob {
  const { clock, logger, jobStore, designatedInstance } = options;
  const name = runs.job;
  const job = runsHere(options)
    ? new PeriodicJob({ ...work, name, logger, isPaused: () => jobStore.isPaused(name) })
    : null;
  return {
    job,
    definition: {
      ...about,
      name,
      designatedInstance,
      nextRunTs: () => nextRunTs(job, clock),
      start: (actor) => {
        if (job === null) throw designatedElsewhere(designatedInstance);
        return runs.start(clock.now(), actor);
      },
    },
  };
}

/** Whether media jobs run on this instance: on the designated one, or on every one when none is. */
export function runsHere({
  designatedInstance,
  instance,
}: Pick<MediaJobOptions, 'designatedInstance' | 'instance'>): boolean {
  return designatedInstance === null || designatedInstance === instance;
}

function designatedElsewhere(instance: string | null): ApiError {
  return new ApiError(409, `This job runs on the instance ${instance} only`, {
    reason: 'designated_elsewhere',
  });
}
