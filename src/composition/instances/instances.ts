import { hostname } from 'node:os';

import type { Config } from '../../config/schema.js';
import { MINUTE_MS } from '../../core/base/clock.js';
import { InstanceStore } from '../../core/operators/overview/instance-store.js';
import { InstanceQuestions } from '../../core/store/instances/instance-questions.js';
import { NO_MESSAGES, type InstanceMessages } from '../../core/store/instances/instance-messages.js';
import { StoredLeases } from '../../core/store/instances/stored-leases.js';
import { MESSAGE_CHANNEL, StoredMessages } from '../../core/store/instances/stored-messages.js';
import { NO_LEASES, type WorkLeases } from '../../core/store/instances/work-leases.js';
import { feature, type ContextParts, type Feature } from '../parts.js';
import { storeJob } from './store-job.js';

/** What instances on one database do for each other. */
export interface Instances {
  /** Name of this one. */
  instance: string;
  known: InstanceStore;
  messages: InstanceMessages;
  leases: WorkLeases;
  questions: InstanceQuestions;
}

type InstanceParts = Pick<ContextParts, 'mode' | 'database' | 'clock' | 'logger'>;

/** So often the workers of one SQLite file look: one statement that finds nothing is 0.1 ms of processor time. */
const LOOK_AT_FILE_MS = 100;

/** Instance name of runs that a command makes in its own process. */
export const COMMAND_INSTANCE = 'command line';

/** Builds it over an open and migrated store; nothing for an instance that is alone. */
export async function createInstances(config: Config, parts: InstanceParts): Promise<Instances & Feature> {
  const { database, mode } = parts;
  const instance = mode === 'command' ? COMMAND_INSTANCE : (config.jobs.instance ?? hostname());
  const known = new InstanceStore(database);
  if (database.isShared) return createShared(config, parts, { instance, known });
  const questions = new InstanceQuestions({ messages: NO_MESSAGES, instance, findOthers: async () => [] });
  const shared = { messages: NO_MESSAGES, leases: NO_LEASES, questions };
  return feature({ instance, known, ...shared });
}

async function createShared(
  config: Config,
  parts: InstanceParts,
  { instance, known }: Pick<Instances, 'instance' | 'known'>,
): Promise<Instances & Feature> {
  const { database, mode, clock, logger } = parts;
  const notifies = database.listener !== null && config.database.listen;
  const messages = new StoredMessages({ database, clock, logger, notifies });
  const leases = new StoredLeases({ database, clock, logger });
  if (mode === 'serve') await messages.open();
  const hearing = createHearing(config, parts, messages);
  const prune = async (): Promise<void> => {
    await messages.prune();
    await leases.prune();
  };
  const pruning = storeJob('prune_messages', MINUTE_MS, { logger, run: prune });
  const findOthers = () => known.findOthers(instance, clock.now());
  const questions = new InstanceQuestions({ messages, instance, findOthers });
  return feature(
    { instance, known, messages, leases, questions },
    {
      join: () => hearing.start(),
      start: () => {
        pruning.start();
        // One that ends before its first minute is over would leave them to nobody.
        void pruning.trigger();
      },
      close: async () => {
        await Promise.all([hearing.stop(), pruning.stop(), leases.close()]);
      },
    },
  );
}

/** Looks for messages again and again, which tells of a store that is away, and at each notification. */
function createHearing(
  { database: { listen, look_interval } }: Config,
  { database, logger }: InstanceParts,
  messages: StoredMessages,
): { start(): void; stop(): Promise<void> } {
  const onNotified = (): void => void messages.look().catch(() => undefined);
  const isOneFile = database.engine === 'sqlite';
  const intervalMs = isOneFile ? LOOK_AT_FILE_MS : look_interval;
  const listener = listen ? (database.listener?.({ channel: MESSAGE_CHANNEL, onNotified }) ?? null) : null;
  const looking = storeJob('hear_instances', intervalMs, {
    logger,
    run: async () => {
      await messages.look();
      await listener?.ensure();
    },
  });
  return {
    start: () => {
      looking.start();
      void listener?.ensure();
    },
    stop: async () => {
      await Promise.all([looking.stop(), listener?.close()]);
    },
  };
}
