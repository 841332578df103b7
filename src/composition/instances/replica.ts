import { SECOND_MS } from '../../core/base/clock.js';
import { replicaCheck } from '../../core/operators/overview/health/instance-checks.js';
import type { Config } from '../../config/schema.js';
import { feature, type ContextParts, type Feature } from '../parts.js';
import { storeJob } from './store-job.js';

/** So often within the bound it is found out how far the replica is behind, and once a second at least. */
const LOOKS_WITHIN_BOUND = 5;

/** Watches the replica of the database; nothing where there is none. Commands read from the primary alone. */
export function watchReplica(
  config: Config,
  { database: { replica }, metrics, logger }: Pick<ContextParts, 'database' | 'metrics' | 'logger'>,
): Feature {
  if (replica === null) return feature({});
  const { replica_max_lag: maxBehindMs } = config.database;
  const intervalMs = Math.min(SECOND_MS, maxBehindMs / LOOKS_WITHIN_BOUND);
  const looking = storeJob('look_at_replica', intervalMs, { logger, run: () => replica.look() });
  metrics.observeReplica(() => (replica.state().behindMs ?? Number.NaN) / SECOND_MS);
  return feature(
    {},
    {
      healthChecks: [replicaCheck(() => replica.state(), maxBehindMs)],
      start: () => looking.start(),
      close: () => looking.stop(),
    },
  );
}
