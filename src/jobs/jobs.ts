import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../core/base/clock.js';
import type { JobRunner } from '../core/job-runner/job-runner.js';
import { JobRuns, type JobWork } from '../core/job-runner/job-runs.js';
import type { MediaGarbageCollector } from '../core/preview/cleanup/media-garbage-collector.js';
import type { PreviewCleanup } from '../core/preview/cleanup/preview-cleanup.js';
import { scheduledJob, type JobInstance, type JobParts, type ScheduledJob } from './scheduled-job.js';

/** What jobs are made with whose work is given. */
export interface RunnerParts extends JobParts {
  runner: JobRunner;
}

/** SPEC §8. */
export const PREVIEW_CLEANUP_INTERVAL_MS = 10 * SECOND_MS;

/** The cleanup of previews (SPEC §4.8). Only the designated instance may hold the files. */
export function previewCleanupJob(cleanup: PreviewCleanup, parts: JobParts, at: JobInstance): ScheduledJob {
  const about = {
    title: 'Clean up previews',
    description:
      'Deletes expired previews, then their pages, images and thumbnails once their retention is over. ' +
      'While it is paused, nothing expires and the disk fills up.',
  };
  return scheduledJob({ ...about, intervalMs: PREVIEW_CLEANUP_INTERVAL_MS, at }, cleanup.runs, parts);
}

/** Orphans come from crashes, so the run soon after the start is what matters. */
export function mediaGarbageCollectionJob(
  { runs }: MediaGarbageCollector,
  parts: JobParts,
  at: JobInstance,
): ScheduledJob {
  const about = {
    title: 'Compare media with files',
    description:
      'Deletes files without a database row, which a crash can leave behind, and marks rows whose file is ' +
      'missing. Keeps every file that has a row.',
  };
  return scheduledJob({ ...about, intervalMs: 6 * HOUR_MS, firstMs: 2 * MINUTE_MS, at }, runs, parts);
}

/** Deletes from before a time at most so many rows; resolves to how many. */
type Prune = (beforeTs: number, limit: number) => Promise<number>;

export function pruneAuditLogJob(retentionMs: number, prune: Prune, parts: RunnerParts): ScheduledJob {
  const about = {
    name: 'prune_audit_log',
    title: 'Delete old audit entries',
    description:
      'Deletes audit entries older than admin.audit_retention. The database refuses to delete entries ' +
      'younger than 30 days.',
  };
  return pruningJob(about, { retentionMs, countedAs: 'audit_entries', prune }, parts);
}

export function pruneRefusedUrlsJob(retentionMs: number, prune: Prune, parts: RunnerParts): ScheduledJob {
  const about = {
    name: 'prune_refused_urls',
    title: 'Delete old refused URLs',
    description: 'Deletes URLs that were refused more than 30 days ago. Keeps the rules.',
  };
  return pruningJob(about, { retentionMs, countedAs: 'blacklist_hits', prune }, parts);
}

export function pruneFetchHistoryJob(retentionMs: number, prune: Prune, parts: RunnerParts): ScheduledJob {
  const about = {
    name: 'prune_fetch_history',
    title: 'Delete old key fetches',
    description: 'Deletes the history of key fetches older than 30 days. Keeps keys and key events.',
  };
  return pruningJob(about, { retentionMs, countedAs: 'key_fetches', prune }, parts);
}

const BATCH = 500;

/** Deletes old rows every hour, in batches. */
function pruningJob(
  { name, ...about }: { name: string; title: string; description: string },
  { retentionMs, countedAs, prune }: { retentionMs: number; countedAs: string; prune: Prune },
  parts: RunnerParts,
): ScheduledJob {
  const run: JobWork['run'] = async (nowTs, progress) => {
    for (let removed = BATCH; removed === BATCH; progress.add(countedAs, removed)) {
      await progress.checkpoint();
      removed = await prune(nowTs - retentionMs, BATCH);
    }
  };
  return scheduledJob({ ...about, intervalMs: HOUR_MS }, new JobRuns(parts.runner, name, { run }), parts);
}
