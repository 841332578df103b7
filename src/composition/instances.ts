import { hostname } from 'node:os';

import { SECOND_MS } from '../core/base/clock.js';
import { InstanceStore } from '../core/operators/overview/instance-store.js';
import { InstanceMessages } from '../core/store/instances/instance-messages.js';
import { PeriodicJob } from '../jobs/periodic-job.js';
import { feature, type Feature } from './features.js';
import type { ContextParts } from './parts.js';

/** What instances on one database do for each other. */
export interface Instances {
  /** Name of this one. */
  instance: string;
  known: InstanceStore;
  messages: InstanceMessages;
}

/** How often an instance makes sure that it hears the others. */
const BEAT_MS = 30 * SECOND_MS;

/** Builds it over an open and migrated store. */
export async function createInstances({
  config,
  database,
  logger,
}: ContextParts): Promise<Instances & Feature> {
  const instance = config.jobs.instance ?? hostname();
  const messages = new InstanceMessages(database, logger);
  const services = { instance, known: new InstanceStore(database), messages };
  if (!database.isShared) return feature(services);
  await messages.open();
  const run = () => messages.beat();
  const listening = new PeriodicJob({ name: 'hear_instances', intervalMs: BEAT_MS, logger, run });
  return feature(services, {
    start: () => listening.start(),
    close: async () => {
      await listening.stop();
      await messages.close();
    },
  });
}
