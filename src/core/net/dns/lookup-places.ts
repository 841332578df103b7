import type { Asker } from '../../base/places/asker.js';
import { Places, REFUSED, type PlaceLoad, type PlaceTicket } from '../../base/places/places.js';

/** How many look-ups may run at once, each holding one socket. */
export interface LookupLimits {
  /** In total; as many may wait, those of one asker only while there is as much room for others. */
  maxLookups: number;
  maxLookupsPerAsker: number;
  maxLookupsPerDomain: number;
}

/** A bound that was reached. */
export type LookupBound = 'asker' | 'domain' | 'total' | 'waiting';

/** What a look-up waits for: any place at all, or one below a part of its path; its question is not bounded. */
const BOUNDS = ['total', 'asker', 'domain', 'domain'] as const;

/** A look-up costs a tenth of a millisecond to begin. */
const STARTS_PER_TURN = 8;

/**
 * Places for look-ups. Nobody may hold more than are free, nor wait with more than there is room left, so that there is
 * always one for somebody new; those who wait take turns by asker, then by their requests, then by domain.
 */
export class LookupPlaces {
  readonly #places: Places;

  constructor(
    private readonly limits: LookupLimits,
    /** Told of each look-up that does not start at once because of a bound. */
    private readonly onBound: (bound: LookupBound, domain: string) => void,
  ) {
    this.#places = new Places({
      total: limits.maxLookups,
      startsPerTurn: STARTS_PER_TURN,
      mayGo: (path) => {
        if (path.length === 1) return this.#places.hasShare(path, limits.maxLookupsPerAsker);
        return path.length === 2 || this.#places.hasShare(path, limits.maxLookupsPerDomain);
      },
    });
  }

  /** Look-ups running and waiting now. */
  get load(): PlaceLoad {
    return this.#places.load;
  }

  /** Asks for a place. */
  enter(domain: string, asker: Asker): PlaceTicket {
    const hasRoom = this.#places.waitingOf(asker.key) < this.limits.maxLookups - this.load.waiting;
    const ticket = hasRoom ? this.#places.enter({ asker, about: [domain] }) : REFUSED;
    const bound = hasRoom ? BOUNDS[ticket.waitsFor() ?? -1] : 'waiting';
    if (bound !== undefined) this.onBound(bound, domain);
    return ticket;
  }
}
