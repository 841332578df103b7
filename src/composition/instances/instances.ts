import { hostname } from 'node:os';

import type { Config } from '../../config/schema.js';
import { SECOND_MS } from '../../core/base/clock.js';
import { InstanceStore } from '../../core/operators/overview/instance-store.js';
import { InstanceMessages } from '../../core/store/instances/instance-messages.js';
import { feature, type ContextParts, type Feature } from '../parts.js';
import { storeJob } from './store-job.js';

/** What instances on one database do for each other. */
export interface Instances {
  /** Name of this one. */
  instance: string;
  known: InstanceStore;
  messages: InstanceMessages;
}

type InstanceParts = Pick<ContextParts, 'mode' | 'database' | 'logger'>;

/** How often an instance makes sure that it hears the others. */
const BEAT_MS = 30 * SECOND_MS;

/** Instance name of runs that a command makes in its own process. */
export const COMMAND_INSTANCE = 'command line';

/** Builds it over an open and migrated store. */
export async function createInstances(config: Config, parts: InstanceParts): Promise<Instances & Feature> {
  const { database, mode, logger } = parts;
  const instance = mode === 'command' ? COMMAND_INSTANCE : (config.jobs.instance ?? hostname());
  const messages = new InstanceMessages(database, logger);
  const services = { instance, known: new InstanceStore(database), messages };
  if (!database.isShared) return feature(services);
  if (mode === 'serve') await messages.open();
  const listening = storeJob('hear_instances', BEAT_MS, { logger, run: () => messages.beat() });
  return feature(services, {
    join: () => listening.start(),
    close: async () => {
      await listening.stop();
      await messages.close();
    },
  });
}
