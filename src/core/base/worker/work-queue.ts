import type { Asker } from '../places/asker.js';
import { ApiError } from '../errors/api-error.js';
import { FairPlaces, type PlaceBound } from '../places/fair-places.js';
import type { PlaceLoad } from '../places/places.js';

/** Bounds of a queue. */
export interface WorkQueueOptions {
  /** Pieces of work running at once. */
  maxRunning: number;
  /** Further ones for askers who have little running; none when absent. */
  reserved?: number;
  /** Pieces waiting; more are refused. */
  maxWaiting: number;
  onBound?: ((bound: PlaceBound, about: string) => void) | undefined;
}

/** Who wants work done, and for how long they wait for their turn. */
export interface WorkFor {
  asker?: Asker | undefined;
  signal?: AbortSignal | undefined;
}

const NEVER = new AbortController().signal;
const MESSAGE = 'Too many pages and images are being worked on at the moment';

/** Runs expensive work a few pieces at a time, by turns of askers, and refuses what would wait too long. */
export class WorkQueue {
  readonly #places: FairPlaces;

  constructor({ maxRunning, reserved = 0, maxWaiting, onBound }: WorkQueueOptions) {
    this.#places = new FairPlaces({
      maxRunning,
      reserved,
      maxWaiting,
      full: overloaded,
      givenUp,
      onBound,
    });
  }

  /** Pieces running and waiting now. */
  get load(): PlaceLoad {
    return this.#places.load;
  }

  /**
   * Runs `work` when its turn comes. Rejects with 503 `overloaded` when too many wait already or the time is over before
   * the turn, and with the signal's reason when the caller gives up.
   */
  async run<T>(work: () => Promise<T>, { asker, signal = NEVER }: WorkFor = {}): Promise<T> {
    if (signal.aborted) throw givenUp(signal);
    const leave = await this.#places.enter({ asker, group: asker?.question ?? '' }, signal);
    try {
      return await work();
    } finally {
      leave();
    }
  }
}

function overloaded(detail: string): ApiError {
  return new ApiError(503, MESSAGE, { reason: 'overloaded', detail, retryAfterSeconds: 5 });
}

/** When the time is over, that says nothing about what was to be worked on. */
function givenUp({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : overloaded('no slot came free in time');
}
