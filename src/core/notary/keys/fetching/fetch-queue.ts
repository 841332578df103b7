import type { Asker } from '../../../base/places/asker.js';
import { MINUTE_MS, type Clock } from '../../../base/clock.js';
import type { Logger } from '../../../base/logger.js';
import { registrableDomain } from '../../../base/registrable-domain.js';
import { addressGroup } from '../../../net/address/client-asker.js';
import type { PlaceTicket, Rank } from '../../../base/places/place-ticket.js';
import type { PlaceLoad } from '../../../base/places/places.js';
import { ReachedBounds } from '../../../base/places/reached-bounds.js';
import {
  DestinationPlaces,
  type DestinationBound,
  type DestinationRequest,
} from '../../../net/places/destination-places.js';
import { SlowStart, type PauseCause } from '../../../net/places/slow-start.js';
import { parseServerName } from '../../federation/server-name.js';
import type { ServerHealth } from '../fetch-throttle.js';
import type { RefreshRequest } from './refresh-request.js';

/** Bounds of fetches; settings of `federation`. */
export interface FetchBounds {
  maxFetches: number;
  maxFetchesPerAsker: number;
  maxFetchesPerQuestion: number;
  maxFetchesPerDomain: number;
  /** Fetches that may wait for a free place; beyond that a refresh is given up at once. */
  maxWaiting: number;
  /** Then one is given up; queries have long been answered. */
  waitMs: number;
  /** At once to an address, or for a host, of which nothing has come yet. */
  firstConnections: number;
  /** Between two tries of an address, or of a host, that only fails. */
  pauseMs: number;
}

export interface FetchQueueOptions extends FetchBounds {
  clock: Clock;
  logger: Logger;
  /** Told of each fetch that waits or is given up, by the bound that was reached. */
  onBound?: (bound: FetchBound) => void;
}

/** A bound that was reached; `pause`: a destination that only failed was paused, `failures`: one that answers too. */
export type FetchBound = DestinationBound | 'pause' | 'failures';

/** Bounds that everyday work reaches: a question for many servers, and servers that share an address or a host. */
const EVERYDAY: ReadonlySet<string> = new Set<FetchBound>(['question', 'address', 'host']);

/** Whether reaching a bound of fetches is nothing to look at. */
export function isEverydayBound(bound: string): boolean {
  return EVERYDAY.has(bound);
}

/** Where one fetch will go, as far as is known before it begins. */
export interface FetchTarget {
  request: RefreshRequest;
  health: ServerHealth;
  /** First address of its host; null: not known. */
  address: string | null;
}

/** Fetches that wait for their place: a fair turn for each asker, few at once to what never answered. */
export class FetchQueue {
  /** What may go at once to each destination address; the same for each connection. */
  readonly addresses: SlowStart;
  readonly #hosts: SlowStart;
  /** Those that made fetches wait or be given up. */
  readonly bounds: ReachedBounds<FetchBound>;
  readonly #places: DestinationPlaces;

  constructor(private readonly options: FetchQueueOptions) {
    const { firstConnections: first, maxFetches: most, pauseMs } = options;
    const onPause = (on: string, after: PauseCause): void =>
      this.#reached(after === 'silence' ? 'pause' : 'failures', { on });
    const rules = { first, most, pauseMs, onPause };
    this.addresses = new SlowStart({ ...rules, keepsAnswering: true });
    this.#hosts = new SlowStart({ ...rules, keepsAnswering: false });
    this.bounds = new ReachedBounds({
      clock: options.clock,
      log: (line) => {
        const level = isEverydayBound(line.bound) ? 'info' : 'warn';
        options.logger[level](line, 'key fetches wait: a bound is reached');
      },
      count: options.onBound,
    });
    this.#places = new DestinationPlaces({
      addresses: this.addresses,
      hosts: this.#hosts,
      total: options.maxFetches,
      perAsker: options.maxFetchesPerAsker,
      perQuestion: options.maxFetchesPerQuestion,
      perDomain: options.maxFetchesPerDomain,
      maxWaiting: options.maxWaiting,
      waitMs: options.waitMs,
      onBound: (bound, { asker, domain, address }) =>
        this.#reached(bound, { asker: asker.key, domain, address }),
    });
  }

  /** Fetches running and waiting now. */
  get load(): PlaceLoad {
    return this.#places.load;
  }

  /** Asks for a place. */
  enter(target: FetchTarget): PlaceTicket {
    return this.#places.enter(placeRequestOf(target, this.options.clock.now()));
  }

  /** When its turn comes among all fetches. */
  rankOf(target: Pick<FetchTarget, 'request' | 'health'>): Rank {
    return rankOf(target, this.options.clock.now());
  }

  /** Notes how the fetch of a server ended. */
  settle(serverName: string, isOk: boolean): void {
    const host = boundHostOf(serverName);
    if (host === '') return;
    if (isOk) this.#hosts.answered(host);
    else this.#hosts.failed(host);
  }

  /** Gives up what waits. */
  close(): void {
    this.#places.close();
  }

  #reached(bound: FetchBound, detail: Record<string, string>): void {
    this.bounds.note(bound, { ...detail, ...this.load });
  }
}

const OPERATOR: Asker = { key: 'operator', question: '' };

function placeRequestOf(target: FetchTarget, nowTs: number): DestinationRequest {
  const { request, address } = target;
  const { serverName, cause, asker } = request;
  const host = hostOf(serverName);
  const domain = host === '' ? '' : registrableDomain(host);
  const nobody = cause === 'operator' ? OPERATOR : { key: `domain:${domain}`, question: '' };
  return {
    asker: asker ?? nobody,
    rank: rankOf(target, nowTs),
    address: address === null ? '' : addressGroup(address),
    domain,
    host: boundHostOf(serverName),
  };
}

const LATELY_MS = 10 * MINUTE_MS;

/** Those that failed lately come last, and so do spellings that nobody uses for a name. */
function rankOf({ request, health }: Pick<FetchTarget, 'request' | 'health'>, nowTs: number): Rank {
  const { serverName, cause } = request;
  if (cause === 'operator') return 0;
  if (health.failCount > 0 && nowTs - (health.lastFetchTs ?? 0) < LATELY_MS) return 2;
  if (health.lastOkTs !== null) return 0;
  return serverName === serverName.toLowerCase() ? 1 : 2;
}

/** Lower case; empty for an address, which is bounded as such. */
function hostOf(serverName: string): string {
  const name = parseServerName(serverName);
  return name === null || name.hostKind !== 'dns' ? '' : name.host.toLowerCase();
}

/**
 * The host whose other spellings and ports share a bound. Its plain name is no part of that: it is fetched once at a
 * time, and anybody can make up spellings and ports that fail.
 */
function boundHostOf(serverName: string): string {
  const host = hostOf(serverName);
  return serverName === host ? '' : host;
}
