import { HOUR_MS, MINUTE_MS, SECOND_MS, type Clock } from '../core/base/clock.js';
import { ApiError } from '../core/base/errors/api-error.js';
import type { Logger } from '../core/base/logger.js';
import type { JobDefinition } from '../core/job-runner/job-registry.js';
import type { JobWork, RunWork } from '../core/job-runner/job-run.js';
import type { JobRunner } from '../core/job-runner/job-runner.js';
import type { JobStore } from '../core/job-runner/job-store.js';
import { PeriodicJob } from './periodic-job.js';

/** A job as operators see it, and what runs it here; `job` is `null` when nothing does by the clock. */
export interface ScheduledJob {
  definition: JobDefinition;
  job: PeriodicJob | null;
}

export interface JobParts {
  runner: JobRunner;
  jobStore: JobStore;
  clock: Clock;
  logger: Logger;
}

/** Name of this instance, and of the only one that runs the media jobs; `null`: any does. */
export interface JobInstance {
  designatedInstance: string | null;
  instance: string;
}

/** Whether the media jobs run on this instance. */
export function runsHere({ designatedInstance, instance }: JobInstance): boolean {
  return designatedInstance === null || designatedInstance === instance;
}

interface JobPlan extends Pick<JobDefinition, 'title' | 'description'> {
  intervalMs: number;
  firstMs?: number;
  /** Absent: on any instance. */
  at?: JobInstance;
}

/** A job that one instance at a time runs, or the designated one alone: when it is due, or for an operator. */
function scheduledJob(
  { title, description, intervalMs, firstMs, at }: JobPlan,
  work: JobWork,
  { runner, jobStore, clock, logger }: JobParts,
): ScheduledJob {
  const name = work.job;
  const run = async (): Promise<void> => {
    // When the store cannot say, the run finds that out and reports it once.
    const isPaused = await jobStore.isPaused(name).catch(() => false);
    if (!isPaused) await runner.runDue(work);
  };
  const isHere = at === undefined || runsHere(at);
  const job = isHere ? new PeriodicJob({ name, intervalMs, firstMs, run, logger }) : null;
  const designatedInstance = at?.designatedInstance ?? null;
  return {
    job,
    definition: {
      name,
      title,
      description,
      everyMs: intervalMs,
      designatedInstance,
      nextRunTs: () => {
        const dueInMs = job?.dueInMs ?? null;
        return dueInMs === null ? null : Math.round(clock.now() + dueInMs);
      },
      start: async (actor) => {
        if (job !== null) return runner.start({ ...work, actor });
        const message = `This job runs on the instance ${designatedInstance} only`;
        throw new ApiError(409, message, { reason: 'designated_elsewhere' });
      },
    },
  };
}

/** SPEC §8. */
export const PREVIEW_CLEANUP_INTERVAL_MS = 10 * SECOND_MS;

/** The cleanup of previews (SPEC §4.8). Only the designated instance may hold the files. */
export function previewCleanupJob(work: JobWork, parts: JobParts, at: JobInstance): ScheduledJob {
  const plan = {
    title: 'Clean up previews',
    description:
      'Deletes expired previews, then their pages, images and thumbnails once their retention is over. ' +
      'While it is paused, nothing expires and the disk fills up.',
    intervalMs: PREVIEW_CLEANUP_INTERVAL_MS,
  };
  return scheduledJob({ ...plan, at }, work, parts);
}

/** Orphans come from crashes, so the run soon after the start is what matters. */
export function mediaGarbageCollectionJob(work: JobWork, parts: JobParts, at: JobInstance): ScheduledJob {
  const plan = {
    title: 'Compare media with files',
    description:
      'Deletes files without a database row, which a crash can leave behind, and marks rows whose file is ' +
      'missing. Keeps every file that has a row.',
    intervalMs: 6 * HOUR_MS,
    firstMs: 2 * MINUTE_MS,
  };
  return scheduledJob({ ...plan, at }, work, parts);
}

/** Old rows that are deleted: what the job is called, and what its runs count. */
const PRUNED = {
  prune_audit_log: {
    title: 'Delete old audit entries',
    description:
      'Deletes audit entries older than admin.audit_retention. The database refuses to delete entries ' +
      'younger than 30 days.',
    countedAs: 'audit_entries',
  },
  prune_refused_urls: {
    title: 'Delete old refused URLs',
    description: 'Deletes URLs that were refused more than 30 days ago. Keeps the rules.',
    countedAs: 'blacklist_hits',
  },
  prune_fetch_history: {
    title: 'Delete old key fetches',
    description: 'Deletes the history of key fetches older than 30 days. Keeps keys and key events.',
    countedAs: 'key_fetches',
  },
};

const BATCH = 500;

interface Pruning {
  job: keyof typeof PRUNED;
  retentionMs: number;
  /** Deletes from before a time at most so many rows; resolves to how many. */
  prune: (beforeTs: number, limit: number) => Promise<number>;
}

/** Deletes old rows every hour, in batches. */
export function pruningJob({ job, retentionMs, prune }: Pruning, parts: JobParts): ScheduledJob {
  const { countedAs, ...about } = PRUNED[job];
  const work: RunWork = async (progress, nowTs) => {
    for (let removed = BATCH; removed === BATCH; progress.add(countedAs, removed)) {
      progress.checkpoint();
      removed = await prune(nowTs - retentionMs, BATCH);
    }
  };
  return scheduledJob({ ...about, intervalMs: HOUR_MS }, { job, work }, parts);
}
