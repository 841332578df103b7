import { FairPlaces, type PlaceBound } from '../../base/places/fair-places.js';
import { tooBusy } from './download-errors.js';

/** How much may run and wait. */
export interface DownloadLimits {
  maxConcurrent: number;
  /** Further ones for users who hold few places. */
  reserved: number;
  maxConcurrentPerHost: number;
  /** Waiting requests of all hosts; one host may take half of them. */
  maxQueued: number;
  /** Whether there is memory for one more of a user. Always when absent. */
  hasMemory?: (asker: string) => boolean;
  onBound?: (bound: PlaceBound, host: string) => void;
}

/**
 * Places for a bounded number of downloads, few per host, so that neither a slow site nor a busy user holds up the
 * others: users take turns, then hosts, which are the groups. `enter` rejects with 503 when the queue is full, or when
 * the signal ends the wait.
 */
export function createDownloadPlaces(limits: DownloadLimits): FairPlaces {
  const { maxConcurrent, reserved, maxConcurrentPerHost, maxQueued, hasMemory, onBound } = limits;
  return new FairPlaces({
    maxRunning: maxConcurrent,
    reserved,
    maxRunningPerGroup: maxConcurrentPerHost,
    maxWaiting: maxQueued,
    maxWaitingPerGroup: Math.ceil(maxQueued / 2),
    ...(hasMemory === undefined ? {} : { hasMemory }),
    full: (detail) => tooBusy(`downloads: ${detail}`),
    givenUp: (_signal, host) => tooBusy(`no place came free for ${host}`),
    onBound,
  });
}
