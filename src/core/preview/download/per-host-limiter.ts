import { FairPlaces, type GroupRequest, type PlaceBound } from '../../base/places/fair-places.js';
import type { PlaceLoad } from '../../base/places/places.js';
import { tooBusy } from './download-errors.js';

/** How much may run and wait. */
export interface PerHostLimiterOptions {
  maxConcurrent: number;
  /** Further ones for users who hold few places. */
  reserved: number;
  maxConcurrentPerHost: number;
  /** Waiting requests of all hosts; one host may take half of them. */
  maxQueued: number;
  onBound?: (bound: PlaceBound, host: string) => void;
}

/**
 * Lets a bounded number of requests run, few per host, so that neither a slow site nor a busy user holds up the
 * others. Those who wait take turns by user, then by host.
 */
export class PerHostLimiter {
  readonly #places: FairPlaces;

  constructor({ maxConcurrent, reserved, maxConcurrentPerHost, maxQueued, onBound }: PerHostLimiterOptions) {
    this.#places = new FairPlaces({
      maxRunning: maxConcurrent,
      reserved,
      maxRunningPerGroup: maxConcurrentPerHost,
      maxWaiting: maxQueued,
      maxWaitingPerGroup: Math.ceil(maxQueued / 2),
      full: (detail) => tooBusy(`downloads: ${detail}`),
      givenUp: (_signal, host) => tooBusy(`no place came free for ${host}`),
      onBound,
    });
  }

  /** Requests running and waiting now. */
  get load(): PlaceLoad {
    return this.#places.load;
  }

  /**
   * Waits for a place of the host, the group of the request; the function returned gives it back.
   * @throws ApiError 503 when the queue is full, or when the signal ends the wait.
   */
  enter(options: GroupRequest, signal: AbortSignal): Promise<() => void> {
    return this.#places.enter(options, signal);
  }
}
