import { outboundError } from '../../base/errors/outbound-error.js';
import type { Asker } from '../../base/places/asker.js';
import { Turns } from '../../base/places/turns.js';

/** How many look-ups may run at once, each holding one socket. */
export interface LookupLimits {
  /** In total; as many may wait. */
  maxLookups: number;
  maxLookupsPerAsker: number;
  maxLookupsPerDomain: number;
}

/** A bound that was reached. */
export const LOOKUP_BOUNDS = ['asker', 'domain', 'total', 'waiting'] as const;
export type LookupBound = (typeof LOOKUP_BOUNDS)[number];

/** One look-up on its way to a place. */
export interface LookupTicket {
  /** Resolves when it may start. Rejects with `dns_busy` when too much waits, or when it is given up. */
  readonly admitted: Promise<void>;
  /** A further asker waits for it: it starts by whoever's turn comes first. */
  join(asker: Asker): void;
  /** Gives its place back, or gives up waiting. */
  leave(): void;
}

interface Waiter {
  state: 'waiting' | 'running' | 'over';
  readonly domain: string;
  /** One for each asker. */
  readonly paths: string[][];
  /** Who was given the place. */
  holder: string;
  start: () => void;
  giveUp: (error: Error) => void;
}

/** A look-up costs a tenth of a millisecond to begin; between so many of them everything else has its turn. */
const STARTS_PER_TURN = 8;

/**
 * Places for look-ups. Nobody may hold more than are free, so that there is always one for somebody new; those who
 * wait take turns by asker, then by their requests, then by domain.
 */
export class LookupPlaces {
  readonly #turns = new Turns<Waiter>();
  readonly #askers = new Map<string, number>();
  readonly #domains = new Map<string, number>();
  #running = 0;
  #waiting = 0;
  #startsLeft = STARTS_PER_TURN;
  #isRefilling = false;

  constructor(
    private readonly limits: LookupLimits,
    /** Told of each look-up that does not start at once because of a bound. */
    private readonly onBound: (bound: LookupBound, domain: string) => void,
  ) {}

  /** Look-ups running and waiting now. */
  get load(): { running: number; waiting: number } {
    return { running: this.#running, waiting: this.#waiting };
  }

  /** Asks for a place. */
  enter(domain: string, asker: Asker): LookupTicket {
    const waiter: Waiter = { state: 'waiting', domain, paths: [], holder: '', start: noop, giveUp: noop };
    const admitted = new Promise<void>((resolve, reject) => {
      waiter.start = resolve;
      waiter.giveUp = reject;
    });
    if (this.#waiting >= this.limits.maxLookups) {
      this.onBound('waiting', domain);
      waiter.state = 'over';
      waiter.giveUp(outboundError('dns_busy', `${this.#waiting} look-ups are waiting`));
    } else {
      this.#waiting += 1;
      this.#queue(waiter, asker);
      this.#admit();
      this.#tellBound(waiter, asker.key);
    }
    return {
      admitted,
      join: (other) => {
        if (waiter.state !== 'waiting' || waiter.paths.some(([key]) => key === other.key)) return;
        this.#queue(waiter, other);
        this.#admit();
      },
      leave: () => this.#leave(waiter),
    };
  }

  #queue(waiter: Waiter, asker: Asker): void {
    const path = [asker.key, asker.question, waiter.domain];
    waiter.paths.push(path);
    this.#turns.add(path, waiter);
  }

  #admit(): void {
    while (this.#startsLeft > 0 && this.#running < this.limits.maxLookups) {
      const waiter = this.#turns.take(([asker = '', question, domain]) =>
        question === undefined ? this.#askerMay(asker) : domain === undefined || this.#domainMay(domain),
      );
      if (waiter === null) return;
      this.#start(waiter);
    }
  }

  #start(waiter: Waiter): void {
    for (const path of waiter.paths) this.#turns.remove(path, waiter);
    const path = waiter.paths.find(([asker = '']) => this.#askerMay(asker)) ?? waiter.paths[0];
    waiter.holder = path?.[0] ?? '';
    waiter.state = 'running';
    this.#waiting -= 1;
    this.#running += 1;
    this.#startsLeft -= 1;
    count(this.#askers, waiter.holder, 1);
    count(this.#domains, waiter.domain, 1);
    this.#refill();
    waiter.start();
  }

  #leave(waiter: Waiter): void {
    if (waiter.state === 'waiting') {
      for (const path of waiter.paths) this.#turns.remove(path, waiter);
      this.#waiting -= 1;
      waiter.giveUp(outboundError('dns_busy', `no place came free for a look-up below ${waiter.domain}`));
      waiter.state = 'over';
    } else if (waiter.state === 'running') {
      this.#running -= 1;
      count(this.#askers, waiter.holder, -1);
      count(this.#domains, waiter.domain, -1);
      waiter.state = 'over';
      this.#admit();
    }
  }

  #tellBound({ state, domain }: Waiter, asker: string): void {
    // Without starts left in this turn of the event loop it merely waits for the next one.
    if (state !== 'waiting' || this.#startsLeft === 0) return;
    if (this.#running >= this.limits.maxLookups) this.onBound('total', domain);
    else this.onBound(this.#askerMay(asker) ? 'domain' : 'asker', domain);
  }

  #askerMay(asker: string): boolean {
    return (this.#askers.get(asker) ?? 0) < Math.min(this.limits.maxLookupsPerAsker, this.#free);
  }

  #domainMay(domain: string): boolean {
    return (this.#domains.get(domain) ?? 0) < Math.min(this.limits.maxLookupsPerDomain, this.#free);
  }

  get #free(): number {
    return this.limits.maxLookups - this.#running;
  }

  /** Starts are counted by turns of the event loop. */
  #refill(): void {
    if (this.#isRefilling) return;
    this.#isRefilling = true;
    setImmediate(() => {
      this.#isRefilling = false;
      this.#startsLeft = STARTS_PER_TURN;
      this.#admit();
    });
  }
}

function noop(): void {}

function count(counts: Map<string, number>, key: string, by: number): void {
  const now = (counts.get(key) ?? 0) + by;
  if (now === 0) counts.delete(key);
  else counts.set(key, now);
}
