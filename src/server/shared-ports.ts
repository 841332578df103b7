import { setImmediate } from 'node:timers/promises';

/** Ports that other processes serve, too: another one takes their connections, and hands them out. */
export interface SharedPorts {
  /** Resolves when all connections that were made for this process have come. */
  settle(): Promise<void>;
  /** Tells that this one listens no more. Resolves when nobody does, or after two seconds. */
  untilAllClosed(): Promise<void>;
}

/** Of a process that serves alone. */
export const OWN_PORTS: SharedPorts = {
  // What the system has for us by then is accepted before.
  settle: () => setImmediate(),
  untilAllClosed: async () => undefined,
};
