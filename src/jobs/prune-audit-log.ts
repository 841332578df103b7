import type { StoredAuditLog } from '../core/access/operators/stored-audit-log.js';
import { HOUR_MS } from '../core/base/clock.js';
import type { Clock } from '../core/base/clock.js';
import type { JobPauseStore } from '../core/job-runner/job-pause-store.js';
import type { JobRunner, RunRequest } from '../core/job-runner/job-runner.js';
import type { Logger } from '../core/base/logger.js';
import { nextRunTs } from './media-job.js';
import type { ScheduledJob } from './media-job.js';
import { PeriodicJob } from './periodic-job.js';

/** What the job is made with. */
export interface PruneAuditLogOptions {
  auditLog: StoredAuditLog;
  /** Setting admin.audit_retention. */
  retentionMs: number;
  runner: JobRunner;
  pauses: JobPauseStore;
  clock: Clock;
  logger: Logger;
}

const NAME = 'prune_audit_log';
const INTERVAL_MS = HOUR_MS;
const BATCH = 500;

/** Deletes old entries of the audit table, every hour. */
export function pruneAuditLogJob(options: PruneAuditLogOptions): ScheduledJob {
  const { runner, pauses, clock, logger } = options;
  const work: Pick<RunRequest, 'job' | 'work'> = {
    job: NAME,
    work: async ({ progress }) => {
      const beforeTs = clock.now() - options.retentionMs;
      for (let removed = BATCH; removed === BATCH; progress.add('audit_entries', removed)) {
        await progress.checkpoint();
        removed = await options.auditLog.prune(beforeTs, BATCH);
      }
    },
  };
  const job = new PeriodicJob({
    name: NAME,
    intervalMs: INTERVAL_MS,
    isPaused: () => pauses.isPaused(NAME),
    run: async () => {
      await runner.runDue({ ...work, cause: 'job' });
    },
    logger,
  });
  return {
    job,
    definition: {
      name: NAME,
      title: 'Forget old audit entries',
      description:
        'Deletes entries of the audit table older than admin.audit_retention. The database refuses to delete any ' +
        'that is younger than 30 days.',
      everyMs: INTERVAL_MS,
      designatedInstance: null,
      nextRunTs: () => nextRunTs(job, clock),
      start: (actor) => runner.start({ ...work, cause: 'operator', actor }),
    },
  };
}
