import type { z } from 'zod';

/** What hears the messages of one topic. */
export interface Receiver<Payload> {
  /** Other instances may run another version: what does not fit is handled as lost. */
  schema: z.ZodType<Payload>;
  /** Called with each message of another instance, in their order. */
  receive(payload: Payload): void | Promise<void>;
  /** Called when messages may have been missed: whatever they could have said is to be taken as said. */
  lost(): void | Promise<void>;
}

/** What the instances that share one database tell each other. */
export interface InstanceMessages {
  /** Tells all others. Never rejects: while the database is away the message waits. */
  send(topic: string, payload: object): Promise<void>;
  /** Hears what others tell from now on; one receiver a topic. */
  on<Payload>(topic: string, receiver: Receiver<Payload>): void;
}

/** For an instance that is alone on its database. */
export const NO_MESSAGES: InstanceMessages = { send: async () => undefined, on: () => undefined };
