import { FairQueue, type FairQueueOptions } from '../../base/fair-queue.js';
import { tooBusy } from './download-errors.js';

/** How much may run and wait. */
export interface DownloadLimits {
  maxConcurrent: number;
  /** Further slots for users who hold few. */
  reserved: number;
  maxConcurrentPerHost: number;
  maxQueued: number;
  /** Whether there is memory for one more of a user. Always when absent. */
  hasMemory?: (user: string) => boolean;
  onLimit?: FairQueueOptions['onLimit'];
}

/** The queue of downloads, whose groups are hosts: neither a slow site nor a busy user holds up the others. */
export function createDownloadQueue(limits: DownloadLimits): FairQueue {
  const { maxConcurrent, reserved, maxConcurrentPerHost, maxQueued, hasMemory, onLimit } = limits;
  return new FairQueue({
    maxRunning: maxConcurrent + reserved,
    reserved,
    maxRunningPerGroup: maxConcurrentPerHost,
    reservedPerGroup: 1,
    maxWaiting: maxQueued,
    ...(hasMemory === undefined ? {} : { mayStart: hasMemory }),
    refused: (detail) => tooBusy(`downloads: ${detail}`),
    onLimit,
  });
}
