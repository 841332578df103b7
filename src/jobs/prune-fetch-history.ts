import type { FetchStore } from '../core/notary/keys/fetch-store.js';
import type { ScheduledJob } from './scheduled-job.js';
import { pruningJob, type RunnerJobOptions } from './runner-job.js';

export interface PruneFetchHistoryOptions extends RunnerJobOptions {
  fetchStore: FetchStore;
  /** How long a fetch is kept. */
  retentionMs: number;
}

/** Deletes the records of old key fetches, every hour. */
export function pruneFetchHistoryJob(options: PruneFetchHistoryOptions): ScheduledJob {
  const { fetchStore, retentionMs } = options;
  const about = {
    name: 'prune_fetch_history',
    title: 'Forget old key fetches',
    description:
      'Deletes the records of key fetches older than 30 days. Leaves keys and the events of keys alone.',
  };
  const prune = (beforeTs: number, limit: number) => fetchStore.prune(beforeTs, limit);
  return pruningJob(about, { retentionMs, countedAs: 'key_fetches', prune }, options);
}
