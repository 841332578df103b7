import { HOUR_MS } from '../core/base/clock.js';
import type { Clock } from '../core/base/clock.js';
import type { JobPauseStore } from '../core/job-runner/job-pause-store.js';
import type { JobRunner, RunRequest } from '../core/job-runner/job-runner.js';
import type { FetchStore } from '../core/notary/keys/fetch-store.js';
import type { Logger } from '../core/base/logger.js';
import { nextRunTs } from './media-job.js';
import type { ScheduledJob } from './media-job.js';
import { PeriodicJob } from './periodic-job.js';

/** What the job is made with. */
export interface PruneFetchHistoryOptions {
  fetchStore: FetchStore;
  /** Setting federation.fetch_history_retention. */
  retentionMs: number;
  runner: JobRunner;
  pauses: JobPauseStore;
  clock: Clock;
  logger: Logger;
}

const NAME = 'prune_fetch_history';
const INTERVAL_MS = HOUR_MS;
const BATCH = 500;

/** Deletes the records of old key fetches, every hour. */
export function pruneFetchHistoryJob(options: PruneFetchHistoryOptions): ScheduledJob {
  const { runner, pauses, clock, logger } = options;
  const work = { job: NAME, work: prune(options) };
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
      title: 'Forget old key fetches',
      description:
        'Deletes the records of key fetches older than federation.fetch_history_retention. ' +
        'Leaves keys and the events of keys alone.',
      everyMs: INTERVAL_MS,
      designatedInstance: null,
      nextRunTs: () => nextRunTs(job, clock),
      start: (actor) => runner.start({ ...work, cause: 'operator', actor }),
    },
  };
}

function prune({ fetchStore, retentionMs, clock }: PruneFetchHistoryOptions): RunRequest['work'] {
  return async ({ progress }) => {
    const beforeTs = clock.now() - retentionMs;
    for (let removed = BATCH; removed === BATCH; progress.add('key_fetches', removed)) {
      await progress.checkpoint();
      removed = await fetchStore.prune(beforeTs, BATCH);
    }
  };
}
