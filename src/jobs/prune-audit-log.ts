import type { StoredAuditLog } from '../core/access/operators/stored-audit-log.js';
import { HOUR_MS } from '../core/base/clock.js';
import type { ScheduledJob } from './media-job.js';
import { pruning, storeJob } from './store-job.js';
import type { StoreJobOptions } from './store-job.js';

/** What the job is made with. */
export interface PruneAuditLogOptions extends StoreJobOptions {
  auditLog: StoredAuditLog;
  /** Setting admin.audit_retention. */
  retentionMs: number;
}

/** Deletes old entries of the audit table, every hour. */
export function pruneAuditLogJob({ auditLog, retentionMs, ...options }: PruneAuditLogOptions): ScheduledJob {
  return storeJob(
    {
      name: 'prune_audit_log',
      title: 'Forget old audit entries',
      description:
        'Deletes entries of the audit table older than admin.audit_retention. The database refuses to delete any ' +
        'that is younger than 30 days.',
      everyMs: HOUR_MS,
      workAt: (nowTs) => pruning('audit_entries', (most) => auditLog.prune(nowTs - retentionMs, most)),
    },
    options,
  );
}
