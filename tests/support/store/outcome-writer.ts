import { createLogger } from '../../../src/core/base/logger.js';
import { DomainBudget, FailedServers } from '../../../src/core/notary/keys/saving/storage-limits.js';
import {
  OutcomeSaver,
  type OutcomeSaverOptions,
} from '../../../src/core/notary/keys/saving/outcome-saver.js';
import type { FetchOutcome } from '../../../src/core/notary/keys/fetch-store.js';
import type { Database } from '../../../src/core/store/db.js';
import { ManualClock } from '../manual-clock.js';

const NO_LIMITS = {
  maxServers: Infinity,
  maxBytes: Number.MAX_SAFE_INTEGER,
  maxTotalBytes: Infinity,
};

const NO_CACHE: OutcomeSaverOptions['cache'] = {
  watch: (work) => work(() => true),
  forget: () => undefined,
  keepOnly: () => undefined,
  keepUnstored: async () => undefined,
};

/** What stores outcomes of fetches, as one process has it, with room for all of them. */
export function outcomeWriter(database: Database, underWay = 0, cache = NO_CACHE) {
  const logger = createLogger({ level: 'silent' });
  const clock = new ManualClock();
  const room = { maxServers: 10_000, maxServersPerDomain: 10_000 };
  const saver = new OutcomeSaver({
    database,
    logger,
    logQueue: null,
    listener: null,
    failedServers: new FailedServers({ ...room, database, clock, logger }),
    budget: new DomainBudget({ ...NO_LIMITS, clock, logger }),
    cache,
  });
  saver.underWay = () => underWay;
  return {
    write: async (outcome: FetchOutcome) => {
      const { serverName, cause } = outcome.entry;
      const result = await saver.save({ serverName, cause, reason: 'absent' }, outcome);
      if (result !== 'stored') throw new Error(result);
    },
  };
}
