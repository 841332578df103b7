import { MINUTE_MS, type Clock } from '../../base/clock.js';
import { FairQueue, type QueueLimit, type QueueLoad, type QueueTicket } from '../../base/fair-queue.js';
import type { Logger } from '../../base/logger.js';
import { ReachedBounds } from '../../base/limits/reached-bounds.js';
import { addressGroup } from '../../net/address/address-client.js';
import type { RefreshRequest } from './refresh-request.js';

/** Limits of fetches; settings of `federation`. */
export interface FetchLimits {
  maxFetches: number;
  /** Names that one client may have under way. */
  maxFetchesPerClient: number;
  /** To one address, whatever names lead there. */
  maxConnectionsPerAddress: number;
  maxWaiting: number;
}

export interface FetchQueueOptions extends FetchLimits {
  clock: Clock;
  logger: Logger;
  /** Called for each fetch that waits or is dropped. */
  onBound?: (bound: FetchBound) => void;
}

/** Names of the limits in metrics and health. */
const BOUNDS = { client: 'asker', group: 'address', total: 'total', waiting: 'waiting' } as const;
export type FetchBound = (typeof BOUNDS)[QueueLimit];

/** Limits that everyday work reaches: a query for many servers, and servers that share an address. */
const EVERYDAY: ReadonlySet<string> = new Set<FetchBound>(['asker', 'address']);

/** Whether reaching a limit of fetches is nothing to look at. */
export function isEverydayBound(bound: string): boolean {
  return EVERYDAY.has(bound);
}

/** Then a fetch that waits is dropped; the query that wanted it has long been answered. */
const MAX_WAIT_MS = MINUTE_MS;

/** Slots for key fetches. */
export class FetchQueue {
  readonly bounds: ReachedBounds<FetchBound>;
  readonly #slots: FairQueue;

  constructor(private readonly options: FetchQueueOptions) {
    const { clock, logger, onBound: count, maxFetches, maxWaiting } = options;
    this.bounds = new ReachedBounds({
      clock,
      log: (line) =>
        logger[isEverydayBound(line.bound) ? 'info' : 'warn'](line, 'key fetches wait: a bound is reached'),
      count,
    });
    this.#slots = new FairQueue({
      maxRunning: maxFetches,
      reserved: Math.floor(maxFetches / 2),
      maxRunningPerGroup: options.maxConnectionsPerAddress,
      maxWaiting,
      maxWaitMs: MAX_WAIT_MS,
      onLimit: (limit, { client, group }) =>
        this.bounds.note(BOUNDS[limit], { client, address: group, ...this.load }),
    });
  }

  /** Fetches running and waiting now. */
  get load(): QueueLoad {
    return this.#slots.load;
  }

  /**
   * Names that a client with so many under way may add for one query: half of what it has left, and of the last quarter
   * one, so that many queries for silent servers leave something for its others.
   */
  freeSlots(underWay: number): number {
    const { maxFetchesPerClient } = this.options;
    const left = Math.max(0, maxFetchesPerClient - underWay);
    return left > maxFetchesPerClient / 4 ? Math.ceil(left / 2) : Math.min(1, left);
  }

  /** Asks for a slot; `address`: the first one of the host, `null` when it is not known. */
  enter({ client, cause, serverName }: RefreshRequest, address: string | null): QueueTicket {
    const own = cause === 'operator' ? cause : `server:${serverName}`;
    return this.#slots.enter({
      client: client ?? own,
      group: address === null ? '' : addressGroup(address),
    });
  }

  /** Drops all that waits. */
  close(): void {
    this.#slots.close();
  }
}
