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
  /** Whether messages are heard as soon as they are sent. */
  hearsAtOnce: () => boolean;
}

type InstanceParts = Pick<ContextParts, 'mode' | 'database' | 'clock' | 'logger'>;

/** Instance name of runs that a command makes in its own process. */
export const COMMAND_INSTANCE = 'command line';

/** Builds it over an open and migrated store; nothing on SQLite, where an instance is alone. */
export async function createInstances(config: Config, parts: InstanceParts): Promise<Instances & Feature> {
  const { database, mode, clock, logger } = parts;
  const instance = mode === 'command' ? COMMAND_INSTANCE : (config.jobs.instance ?? hostname());
  const known = new InstanceStore(database);
  const about = { instance, known };
  if (database.engine === 'sqlite') {
    const questions = new InstanceQuestions({ messages: NO_MESSAGES, instance, findOthers: async () => [] });
    return feature({
      ...about,
      messages: NO_MESSAGES,
      leases: NO_LEASES,
      questions,
      hearsAtOnce: () => true,
    });
  }
  const common = { database, clock, logger };
  const messages = new StoredMessages({ ...common, notifies: config.database.listen });
  const leases = new StoredLeases(common);
  if (mode === 'serve') await messages.open();
  const hearing = createHearing(config, parts, messages);
  const pruning = storeJob('prune_messages', MINUTE_MS, {
    logger,
    run: async () => {
      await messages.prune();
      await leases.prune();
    },
  });
  const findOthers = () => known.findOthers(instance, clock.now());
  return feature(
    {
      ...about,
      messages,
      leases,
      questions: new InstanceQuestions({ messages, instance, findOthers }),
      hearsAtOnce: () => hearing.isListening(),
    },
    {
      start: () => {
        hearing.start();
        pruning.start();
      },
      close: async () => {
        await Promise.all([hearing.stop(), pruning.stop(), leases.close()]);
      },
    },
  );
}

/** Looks for messages again and again, which tells of a store that is away, and at each notification. */
function createHearing(
  { database: { listen, look_interval: intervalMs } }: Config,
  { database, logger }: InstanceParts,
  messages: StoredMessages,
): { isListening(): boolean; start(): void; stop(): Promise<void> } {
  const onNotified = (): void => void messages.look().catch(() => undefined);
  const listener = listen ? (database.listener?.({ channel: MESSAGE_CHANNEL, onNotified }) ?? null) : null;
  const looking = storeJob('hear_instances', intervalMs, {
    logger,
    run: async () => {
      await messages.look();
      await listener?.ensure();
    },
  });
  return {
    isListening: () => listener?.isListening ?? false,
    start: () => {
      looking.start();
      void listener?.ensure();
    },
    stop: async () => {
      await Promise.all([looking.stop(), listener?.close()]);
    },
  };
}
