import { HOUR_MS } from '../core/base/clock.js';
import type { FetchStore } from '../core/notary/keys/fetch-store.js';
import type { ScheduledJob } from './media-job.js';
import { pruning, storeJob } from './store-job.js';
import type { StoreJobOptions } from './store-job.js';

/** What the job is made with. */
export interface PruneFetchHistoryOptions extends StoreJobOptions {
  fetchStore: FetchStore;
  /** Setting federation.fetch_history_retention. */
  retentionMs: number;
}

/** Deletes the records of old key fetches, every hour. */
export function pruneFetchHistoryJob({
  fetchStore,
  retentionMs,
  ...options
}: PruneFetchHistoryOptions): ScheduledJob {
  return storeJob(
    {
      name: 'prune_fetch_history',
      title: 'Forget old key fetches',
      description:
        'Deletes the records of key fetches older than federation.fetch_history_retention. ' +
        'Leaves keys and the events of keys alone.',
      everyMs: HOUR_MS,
      workAt: (nowTs) => pruning('key_fetches', (most) => fetchStore.prune(nowTs - retentionMs, most)),
    },
    options,
  );
}
