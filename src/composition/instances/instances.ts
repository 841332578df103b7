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

type InstanceParts = Pick<ContextParts, 'database' | 'logger'>;

/** How often an instance makes sure that it hears the others. */
const BEAT_MS = 30 * SECOND_MS;

/** Builds it over an open and migrated store. */
export async function createInstances(config: Config, parts: InstanceParts): Promise<Instances & Feature> {
  const { database, logger } = parts;
  const instance = config.jobs.instance ?? hostname();
  const messages = new InstanceMessages(database, logger);
  const services = { instance, known: new InstanceStore(database), messages };
  if (!database.isShared) return feature(services);
  await messages.open();
  const listening = storeJob('hear_instances', BEAT_MS, { logger, run: () => messages.beat() });
  return feature(services, {
    join: () => listening.start(),
    close: async () => {
      await listening.stop();
      await messages.close();
    },
  });
}
