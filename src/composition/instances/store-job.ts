import { MINUTE_MS } from '../../core/base/clock.js';
import { isStoreError } from '../../core/store/store-errors.js';
import { PeriodicJob } from '../../jobs/periodic-job.js';
import type { ContextParts } from '../parts.js';

/** A job that is due so often that of a store that is away one line is enough. */
export function storeJob(
  name: string,
  intervalMs: number,
  { logger, run }: Pick<ContextParts, 'logger'> & { run: () => Promise<void> },
): PeriodicJob {
  let isAway = false;
  return new PeriodicJob({
    name,
    intervalMs,
    logger,
    run: async () => {
      try {
        await run();
        isAway = false;
      } catch (error) {
        if (!isStoreError(error)) throw error;
        logger[isAway ? 'debug' : 'warn']({ err: error, job: name }, 'a job waits for the database');
        isAway = true;
      }
    },
  });
}

const LOOK_INTERVAL_MS = MINUTE_MS;

/** Looks at rows of other instances now and then, for the case that a message was heard while the store was away. */
export function lookingAgain(
  name: string,
  { database, logger }: Pick<ContextParts, 'database' | 'logger'>,
  run: () => Promise<void>,
): { start: () => void; close: () => Promise<void> } {
  const job = storeJob(name, LOOK_INTERVAL_MS, { logger, run });
  return {
    start: () => (database.isShared ? job.start() : undefined),
    close: () => job.stop(),
  };
}
