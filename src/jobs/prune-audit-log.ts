import type { StoredAuditLog } from '../core/access/operators/stored-audit-log.js';
import type { ScheduledJob } from './scheduled-job.js';
import { pruningJob, type RunnerJobOptions } from './runner-job.js';

export interface PruneAuditLogOptions extends RunnerJobOptions {
  auditLog: StoredAuditLog;
  /** Setting admin.audit_retention. */
  retentionMs: number;
}

/** Deletes old entries of the audit table, every hour. */
export function pruneAuditLogJob(options: PruneAuditLogOptions): ScheduledJob {
  const { auditLog, retentionMs } = options;
  const about = {
    name: 'prune_audit_log',
    title: 'Forget old audit entries',
    description:
      'Deletes entries of the audit table older than admin.audit_retention. The database refuses to delete any ' +
      'that is younger than 30 days.',
  };
  const prune = (beforeTs: number, limit: number) => auditLog.prune(beforeTs, limit);
  return pruningJob(about, { retentionMs, countedAs: 'audit_entries', prune }, options);
}
