import { z } from 'zod';

import { SECOND_MS } from '../../core/base/clock.js';
import type { RateLimit } from '../../core/base/places/rate-limit.js';
import type { InstanceMessages } from '../../core/store/instances/instance-messages.js';
import { PeriodicJob } from '../../jobs/periodic-job.js';
import { feature, type ContextParts, type Feature } from '../parts.js';

const TOPIC = 'previews_taken';
const TAKEN = z.object({ taken: z.array(z.tuple([z.string(), z.int().positive()])) });

/**
 * Has all instances count what askers take of a limit on one of them, with a second's delay: a round trip for each
 * preview would cost more than the few that are made beyond the limit. Nothing for an instance that is alone.
 */
export function shareRateLimit(
  limit: RateLimit,
  { database, logger }: Pick<ContextParts, 'database' | 'logger'>,
  messages: InstanceMessages,
): Feature {
  if (database.engine === 'sqlite') return feature({});
  messages.on(TOPIC, {
    schema: TAKEN,
    receive: ({ taken }) => {
      for (const [asker, count] of taken) limit.countTaken(asker, count);
    },
    lost: () => undefined,
  });
  const job = new PeriodicJob({
    name: 'share_rate_limit',
    intervalMs: SECOND_MS,
    logger,
    run: async () => {
      const taken = [...limit.drainTaken()];
      if (taken.length > 0) await messages.send(TOPIC, { taken });
    },
  });
  return feature({}, { start: () => job.start(), close: () => job.stop() });
}
