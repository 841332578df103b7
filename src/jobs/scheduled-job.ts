import type { Clock } from '../core/base/clock.js';
import type { JobDefinition } from '../core/job-runner/job-registry.js';
import type { PeriodicJob } from './periodic-job.js';

/** A job as operators see it, and what runs it here; `job` is `null` when nothing does by the clock. */
export interface ScheduledJob {
  definition: JobDefinition;
  job: PeriodicJob | null;
}

/** When a job runs next by the clock, POSIX ms; `null` when it does not run here. */
export function nextRunTs(job: PeriodicJob | null, clock: Clock): number | null {
  const dueInMs = job?.dueInMs ?? null;
  return dueInMs === null ? null : Math.round(clock.now() + dueInMs);
}
