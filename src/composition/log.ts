import type { Config } from '../config/schema.js';
import { SECOND_MS } from '../core/base/clock.js';
import type { LogKey } from '../core/notary/log/notes/log-key.js';
import { PublishedLog } from '../core/notary/log/published-log.js';
import { Sequencer } from '../core/notary/log/sequencer.js';
import { logChecks } from '../core/operators/overview/health/log-checks.js';
import { isStoreError } from '../core/store/store-errors.js';
import { PeriodicJob } from '../jobs/periodic-job.js';
import { feature } from './parts.js';
import type { ContextParts } from './parts.js';

/** The log of what we vouch for, alive while the store is open. */
export type Log = Awaited<ReturnType<typeof createLog>>;

const INTERVAL_MS = SECOND_MS;

/** Builds it over an open and migrated store; `key` is null when it is off. */
export async function createLog(
  config: Config,
  { database, clock, logger, metrics }: ContextParts,
  key: LogKey | null,
) {
  if (key === null) return feature<{ published: PublishedLog | null }>({ published: null });
  const log = await PublishedLog.open({ database, clock, logger, key, cacheBytes: config.log.cache_size });
  const sequencer = new Sequencer({ database, clock, key, log });
  metrics.observeLog(() => ({
    entries: log.size,
    mergeDelayMs: log.mergeDelayMs,
    cachedBytes: log.cachedBytes,
  }));
  let isAway = false;
  const run = async (): Promise<void> => {
    try {
      await sequencer.run();
      isAway = false;
    } catch (error) {
      if (!isStoreError(error)) throw error;
      // It is due every second, and the first line says it all.
      logger[isAway ? 'debug' : 'warn']({ err: error }, 'the log waits for the database');
      isAway = true;
    }
  };
  const job = new PeriodicJob({ name: 'log_sequencer', intervalMs: INTERVAL_MS, logger, run });
  return feature<{ published: PublishedLog | null }>(
    { published: log },
    {
      healthChecks: logChecks({ log, sequencer, maximumMergeDelayMs: config.log.maximum_merge_delay }),
      start: () => {
        job.start();
        void job.trigger();
      },
      close: () => job.stop(),
    },
  );
}
