import { SECOND_MS } from './clock.js';
import { FairQueue } from './fair-queue.js';

export interface ReadQueueOptions {
  maxRunning: number;
  /** Half of `maxRunning` when absent. */
  maxRunningPerClient?: number;
  maxWaiting: number;
  refused: (detail: string) => Error;
  onDropped: (details: Readonly<Record<string, unknown>>) => void;
}

const MAX_WAIT_MS = 5 * SECOND_MS;

/** A queue for what anybody can have asked of a store or a server: half of it for one client, and five seconds to wait. */
export function readQueue(options: ReadQueueOptions): FairQueue {
  const { maxRunning, maxRunningPerClient = Math.ceil(maxRunning / 2), maxWaiting, refused } = options;
  const queue: FairQueue = new FairQueue({
    maxRunning,
    reserved: Math.ceil(maxRunning / 4),
    maxRunningPerClient,
    maxWaiting,
    maxWaitingPerClient: Math.ceil(maxWaiting / 2),
    maxWaitMs: MAX_WAIT_MS,
    refused,
    onLimit: (limit, { client }) => {
      // Waiting is nothing to report.
      if (limit === 'waiting') options.onDropped({ client, ...queue.load });
    },
  });
  return queue;
}
