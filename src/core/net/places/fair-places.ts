import type { Asker } from '../../base/places/asker.js';
import { Turns } from '../../base/places/turns.js';
import type { SlowStart } from './slow-start.js';

/** How many places there are, and how many of them one may hold. */
export interface PlaceLimits {
  total: number;
  perAsker: number;
  perQuestion: number;
  /** Per registrable domain. */
  perDomain: number;
  /** Requests that may wait. */
  maxWaiting: number;
  /** Then a request is given up. */
  waitMs: number;
}

/** What the limits are told of: how they stand at each destination, and when one is reached. */
export interface PlaceOptions extends PlaceLimits {
  /** By `addressGroup`. */
  addresses: SlowStart;
  /** By lower-case host; absent: hosts do not matter. */
  hosts?: SlowStart;
  /** Told of each request that does not get its place at once, and of each that is refused or given up. */
  onBound?: (bound: PlaceBound, options: PlaceRequest) => void;
}

/** A bound that was reached. */
export const PLACE_BOUNDS = ['asker', 'question', 'domain', 'address', 'host', 'total', 'waiting'] as const;
export type PlaceBound = (typeof PLACE_BOUNDS)[number];

/** A place is wanted for this. */
export interface PlaceRequest {
  asker: Asker;
  /** 0: its server answered before, and no pause holds it back; 1: nothing is known; 2: last of all. */
  rank: 0 | 1 | 2;
  /** By `addressGroup`; empty: not known. */
  address: string;
  /** Registrable domain; empty: none. */
  domain: string;
  /** Lower case; empty: none. */
  host: string;
}

/** One request on its way to a place. */
export interface PlaceTicket {
  /** Resolves with whether there is a place; false when too much waits, or it waited too long. Never rejects. */
  readonly admitted: Promise<boolean>;
  /** A further asker waits for it: it gets its place by whoever's turn comes first. */
  join(asker: Asker): void;
  /** Gives its place back, or gives up waiting. */
  leave(): void;
}

interface Waiter {
  state: 'waiting' | 'running' | 'over';
  readonly options: PlaceRequest;
  /** One for each asker. */
  readonly paths: string[][];
  /** Who was given the place. */
  holder: readonly string[];
  timer: NodeJS.Timeout | undefined;
  settle: (isAdmitted: boolean) => void;
}

const ASKER = 0;
const QUESTION = 1;
const ADDRESS = 2;
const DOMAIN = 3;

/**
 * Places taken by turns: by asker, then by their questions, then by destination. Nobody may hold more than are free,
 * running or waiting, so that there is always room for somebody new; destinations widen as `SlowStart` says.
 */
export class FairPlaces {
  readonly #ranks = [new Turns<Waiter>(), new Turns<Waiter>(), new Turns<Waiter>()];
  /** Running ones by each part of their path, by the part's place in it. */
  readonly #held = Array.from({ length: 5 }, () => new Map<string, number>());
  readonly #waitingOf = new Map<string, number>();
  readonly #waiters = new Set<Waiter>();
  #running = 0;
  #soonestMs = Infinity;
  #wake: NodeJS.Timeout | undefined;

  constructor(private readonly options: PlaceOptions) {
    options.addresses.subscribe(() => this.#admit());
    options.hosts?.subscribe(() => this.#admit());
  }

  /** Places held, and requests that wait. */
  get load(): { running: number; waiting: number } {
    return { running: this.#running, waiting: this.#waiters.size };
  }

  /** Asks for a place. */
  enter(options: PlaceRequest): PlaceTicket {
    const waiter = waiterOf(options);
    const admitted = new Promise<boolean>((resolve) => {
      waiter.settle = resolve;
    });
    if (this.#mayWait(options.asker.key)) {
      this.#waiters.add(waiter);
      waiter.timer = setTimeout(() => this.#giveUp(waiter), this.options.waitMs);
      this.#queue(waiter, options.asker);
      this.#admit();
      if (waiter.state === 'waiting') this.options.onBound?.(this.#boundOf(waiter), options);
    } else {
      waiter.state = 'over';
      waiter.settle(false);
      this.options.onBound?.('waiting', options);
    }
    return {
      admitted,
      join: (asker) => {
        if (waiter.state !== 'waiting' || waiter.paths.some(([key]) => key === asker.key)) return;
        this.#queue(waiter, asker);
        this.#admit();
      },
      leave: () => this.#leave(waiter),
    };
  }

  /** Gives up all that wait. */
  close(): void {
    for (const waiter of this.#waiters) this.#leave(waiter);
    clearTimeout(this.#wake);
  }

  #mayWait(asker: string): boolean {
    const left = this.options.maxWaiting - this.#waiters.size;
    return (this.#waitingOf.get(asker) ?? 0) < left;
  }

  #queue(waiter: Waiter, asker: Asker): void {
    const { rank, address, domain, host } = waiter.options;
    const path = [asker.key, asker.question, address, domain, host];
    waiter.paths.push(path);
    this.#ranks[rank]?.add(path, waiter);
    if (waiter.paths.length === 1) count(this.#waitingOf, asker.key, 1);
  }

  #admit(): void {
    this.#soonestMs = Infinity;
    while (this.#running < this.options.total) {
      const waiter = this.#next();
      if (waiter === null) break;
      this.#start(waiter);
    }
    clearTimeout(this.#wake);
    if (this.#soonestMs !== Infinity) this.#wake = setTimeout(() => this.#admit(), this.#soonestMs + 1);
  }

  #next(): Waiter | null {
    for (const [rank, turns] of this.#ranks.entries()) {
      const waiter = turns.take((path) => this.#mayGo(path, rank));
      if (waiter !== null) return waiter;
    }
    return null;
  }

  #start(waiter: Waiter): void {
    this.#unqueue(waiter);
    waiter.state = 'running';
    waiter.holder = waiter.paths.find((path) => this.#share(path, ASKER)) ?? waiter.paths[0] ?? [];
    this.#running += 1;
    for (const at of this.#held.keys()) count(this.#heldAt(at), keyAt(waiter.holder, at), 1);
    waiter.settle(true);
  }

  #leave(waiter: Waiter): void {
    if (waiter.state === 'waiting') {
      this.#unqueue(waiter);
      waiter.settle(false);
    } else if (waiter.state === 'running') {
      this.#running -= 1;
      for (const at of this.#held.keys()) count(this.#heldAt(at), keyAt(waiter.holder, at), -1);
      this.#admit();
    }
    waiter.state = 'over';
  }

  #giveUp(waiter: Waiter): void {
    if (waiter.state !== 'waiting') return;
    this.options.onBound?.('waiting', waiter.options);
    this.#leave(waiter);
  }

  #unqueue(waiter: Waiter): void {
    clearTimeout(waiter.timer);
    const { rank, asker } = waiter.options;
    for (const path of waiter.paths) this.#ranks[rank]?.remove(path, waiter);
    if (this.#waiters.delete(waiter)) count(this.#waitingOf, asker.key, -1);
  }

  #boundOf({ paths, options }: Waiter): PlaceBound {
    const path = paths[0] ?? [];
    if (this.#running >= this.options.total) return 'total';
    if (!this.#share(path, ASKER)) return 'asker';
    if (!this.#share(path, QUESTION)) return 'question';
    if (!this.#opens(this.options.addresses, path, options.rank)) return 'address';
    return this.#share(path, DOMAIN) ? 'host' : 'domain';
  }

  /** Asked at each part of a path, the longer ones after the shorter. */
  #mayGo(path: readonly string[], rank: number): boolean {
    const at = path.length - 1;
    if (at <= QUESTION || at === DOMAIN) return this.#share(path, at);
    const { addresses, hosts } = this.options;
    const slowStart = at === ADDRESS ? addresses : hosts;
    return slowStart === undefined || this.#opens(slowStart, path.slice(0, at + 1), rank);
  }

  #share(path: readonly string[], at: number): boolean {
    if (at === DOMAIN && path[DOMAIN] === '') return true;
    const { total, perAsker, perQuestion, perDomain } = this.options;
    const most = [perAsker, perQuestion, Infinity, perDomain][at] ?? Infinity;
    const free = at === QUESTION ? Infinity : total - this.#running;
    return (this.#heldAt(at).get(keyAt(path, at)) ?? 0) < Math.min(most, free);
  }

  /** Whether the destination at the end of the path takes one more. */
  #opens(slowStart: SlowStart, path: readonly string[], rank: number): boolean {
    const at = slowStart === this.options.addresses ? ADDRESS : path.length - 1;
    const destination = keyAt(path, at);
    if (destination === '') return true;
    if ((this.#heldAt(at).get(destination) ?? 0) >= slowStart.width(destination)) return false;
    const pausedMs = rank === 0 ? 0 : slowStart.pausedMs(destination);
    if (pausedMs > 0) this.#soonestMs = Math.min(this.#soonestMs, pausedMs);
    return pausedMs === 0;
  }

  #heldAt(at: number): Map<string, number> {
    return this.#held[at] ?? new Map();
  }
}

function waiterOf(options: PlaceRequest): Waiter {
  return { state: 'waiting', options, paths: [], holder: [], timer: undefined, settle: () => {} };
}

/** Questions are told apart by their asker, all else by itself. */
function keyAt(path: readonly string[], at: number): string {
  return at === QUESTION ? `${path[ASKER]} ${path[QUESTION]}` : (path[at] ?? '');
}

function count(counts: Map<string, number>, key: string, by: number): void {
  const now = (counts.get(key) ?? 0) + by;
  if (now === 0) counts.delete(key);
  else counts.set(key, now);
}
