import { ApiError } from '../errors/api-error.js';
import { FairQueue, type FairQueueOptions } from '../fair-queue.js';

/** A queue for expensive work, a few pieces at a time. `run` rejects with 503 `overloaded` when too many wait already. */
export function workQueue(options: Omit<FairQueueOptions, 'refused'>): FairQueue {
  const message = 'Too many pages and images are being processed at the moment';
  return new FairQueue({
    ...options,
    refused: (detail) => new ApiError(503, message, { reason: 'overloaded', detail, retryAfterSeconds: 5 }),
  });
}
