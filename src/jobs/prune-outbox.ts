import type { OutboxStore } from '../core/operators/oversight/outbox/outbox-store.js';
import type { ScheduledJob } from './scheduled-job.js';
import { pruningJob, type RunnerJobOptions } from './runner-job.js';

export interface PruneOutboxOptions extends RunnerJobOptions {
  store: OutboxStore;
  /** Setting alerts.retention. */
  retentionMs: number;
  /** Setting alerts.max_waiting: no more finished ones are kept either. */
  maxRows: number;
}

/** Deletes old deliveries, every hour. */
export function pruneOutboxJob(options: PruneOutboxOptions): ScheduledJob {
  const { store, retentionMs, maxRows } = options;
  const about = {
    name: 'prune_outbox',
    title: 'Forget old deliveries',
    description:
      'Deletes deliveries that were made or given up before alerts.retention, and the oldest of them beyond ' +
      'alerts.max_waiting. What waits is left alone.',
  };
  const prune = (beforeTs: number, limit: number) => store.prune(beforeTs, { maxRows, limit });
  return pruningJob(about, { retentionMs, countedAs: 'deliveries', prune }, options);
}
