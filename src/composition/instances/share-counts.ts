import { z } from 'zod';

import { SECOND_MS } from '../../core/base/clock.js';
import type { InstanceMessages } from '../../core/store/instances/instance-messages.js';
import { PeriodicJob } from '../../jobs/periodic-job.js';
import { feature, type ContextParts, type Feature } from '../parts.js';

const TOPIC = 'counted';
const COUNTED = z.object({ counted: z.array(z.tuple([z.string(), z.string(), z.int().positive()])) });

/**
 * Has all instances count what askers take of limits on one of them, with a second's delay: a round trip for each
 * request would cost more than the few that are let through beyond a limit. Nothing for an instance that is alone.
 */
export function shareCounts(
  { counts, database, logger }: Pick<ContextParts, 'counts' | 'database' | 'logger'>,
  messages: InstanceMessages,
): Feature {
  if (!database.isShared) return feature({});
  messages.on(TOPIC, {
    schema: COUNTED,
    receive: ({ counted }) => counts.receive(counted),
    lost: () => undefined,
  });
  const job = new PeriodicJob({
    name: 'share_counts',
    intervalMs: SECOND_MS,
    logger,
    run: async () => {
      const counted = counts.drain();
      if (counted.length > 0) await messages.send(TOPIC, { counted });
    },
  });
  return feature({}, { start: () => job.start(), close: () => job.stop() });
}
