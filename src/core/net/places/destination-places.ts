import type { Asker } from '../../base/places/asker.js';
import { REFUSED, type Level, type PlaceTicket, type Rank } from '../../base/places/place-ticket.js';
import { Places, type PlaceLoad } from '../../base/places/places.js';
import type { SlowStart } from './slow-start.js';

/** How many places there are, and how many of them one may hold. */
export interface DestinationLimits {
  total: number;
  perAsker: number;
  perQuestion: number;
  /** Per registrable domain. */
  perDomain: number;
  /** Requests that may wait. */
  maxWaiting: number;
  /** Then a request is given up; never when absent. */
  waitMs?: number;
}

/** What the limits are told of: how they stand at each destination, and when one is reached. */
export interface DestinationOptions extends DestinationLimits {
  /** By `addressGroup`. */
  addresses: SlowStart;
  /** By lower-case host; absent: hosts do not matter. */
  hosts?: SlowStart;
  /** Told of each request that does not get its place at once, and of each that is refused or given up. */
  onBound?: (bound: DestinationBound, request: DestinationRequest) => void;
}

const ABOUT = ['address', 'domain', 'host'] as const;
type DestinationLevel = Level<(typeof ABOUT)[number]>;

/** A bound that was reached: a place is waited for, or (waiting) refused. */
export type DestinationBound = DestinationLevel | 'total' | 'waiting';

/** A place is wanted for this. */
export interface DestinationRequest {
  asker: Asker;
  /** 0: its server answered before, and no pause holds it back; 1: nothing is known; 2: last of all. */
  rank: Rank;
  /** By `addressGroup`; empty: not known. */
  address: string;
  /** Registrable domain; empty: none. */
  domain: string;
  /** Lower case; empty: none. */
  host: string;
}

/**
 * Places taken by turns: by asker, then by their questions, then by destination. Nobody may hold more than are free,
 * running or waiting, and whoever waits for the most gives way, so that there is always room for somebody new;
 * destinations widen as `SlowStart` says.
 */
export class DestinationPlaces {
  readonly #places: Places<(typeof ABOUT)[number]>;
  #wakeMs = Infinity;
  #wake: NodeJS.Timeout | undefined;

  constructor(private readonly options: DestinationOptions) {
    const mayGo = this.#mayGo.bind(this);
    this.#places = new Places({ total: options.total, about: ABOUT, mayGo });
    options.addresses.subscribe(() => this.#places.admit());
    options.hosts?.subscribe(() => this.#places.admit());
  }

  /** Places held, and requests that wait. */
  get load(): PlaceLoad {
    return this.#places.load;
  }

  /** Asks for a place. */
  enter(request: DestinationRequest): PlaceTicket {
    const { maxWaiting, waitMs, onBound } = this.options;
    const { asker, rank, address, domain, host } = request;
    if (this.#places.waitingOf(asker.key) >= maxWaiting - this.load.waiting) {
      onBound?.('waiting', request);
      if (!this.#places.makeRoomFor(asker)) return REFUSED;
    }
    const ticket = this.#places.enter({ asker, rank, about: [address, domain, host] });
    const bound = ticket.waitsFor();
    if (bound !== null) onBound?.(bound, request);
    if (waitMs === undefined) return ticket;
    const timer = setTimeout(() => {
      onBound?.('waiting', request);
      ticket.giveUp();
    }, waitMs);
    void ticket.admitted.then(() => clearTimeout(timer));
    return ticket;
  }

  /** Gives up all that wait. */
  close(): void {
    this.#places.close();
    clearTimeout(this.#wake);
  }

  #mayGo(level: DestinationLevel, path: readonly string[], rank: Rank): boolean {
    const { perAsker, perQuestion, perDomain, addresses, hosts } = this.options;
    if (level === 'asker') return this.#places.hasShare(path, perAsker);
    if (level === 'question') return this.#places.held(path) < perQuestion;
    if (level === 'domain') return path.at(-1) === '' || this.#places.hasShare(path, perDomain);
    const slowStart = level === 'address' ? addresses : hosts;
    return slowStart === undefined || this.#opens(slowStart, path, rank);
  }

  /** Whether the destination at the end of the path takes one more. */
  #opens(slowStart: SlowStart, path: readonly string[], rank: Rank): boolean {
    const destination = path.at(-1) ?? '';
    if (destination === '') return true;
    if (this.#places.held(path) >= slowStart.width(destination, rank)) return false;
    const pausedMs = rank === 0 ? 0 : slowStart.pausedMs(destination);
    if (pausedMs > 0) this.#wakeIn(pausedMs);
    return pausedMs === 0;
  }

  /** Gives places once the pause that ends first is over. */
  #wakeIn(pausedMs: number): void {
    const wakeMs = performance.now() + pausedMs + 1;
    if (wakeMs >= this.#wakeMs) return;
    this.#wakeMs = wakeMs;
    clearTimeout(this.#wake);
    this.#wake = setTimeout(() => {
      this.#wakeMs = Infinity;
      this.#places.admit();
    }, pausedMs + 1);
  }
}
