import type { Asker } from '../../base/places/asker.js';
import { REFUSED, type Level, type PlaceTicket } from '../../base/places/place-ticket.js';
import { Places, type PlaceLoad } from '../../base/places/places.js';

/** How many look-ups may run at once, each holding one socket. */
export interface LookupLimits {
  /** In total; as many may wait, those of one asker only while there is as much room for others. */
  maxLookups: number;
  maxLookupsPerAsker: number;
  maxLookupsPerDomain: number;
}

/** A bound that was reached: a place is waited for, or (waiting) refused. */
export type LookupBound = Exclude<Level<'domain'>, 'question'> | 'total' | 'waiting';

/** A look-up costs a tenth of a millisecond to begin. */
const STARTS_PER_TURN = 8;

/**
 * Places for look-ups. Nobody may hold more than are free, nor wait with more than there is room left, and whoever waits
 * with the most gives way, so that there is always one for somebody new; those who wait take turns by asker, then by their requests, then by domain.
 */
export class LookupPlaces {
  readonly #places: Places<'domain'>;

  constructor(
    private readonly limits: LookupLimits,
    /** Told of each look-up that does not start at once because of a bound. */
    private readonly onBound: (bound: LookupBound, domain: string) => void,
  ) {
    this.#places = new Places({
      total: limits.maxLookups,
      startsPerTurn: STARTS_PER_TURN,
      about: ['domain'],
      mayGo: (level, path) => {
        if (level === 'question') return true;
        const most = level === 'asker' ? limits.maxLookupsPerAsker : limits.maxLookupsPerDomain;
        return this.#places.hasShare(path, most);
      },
      onHeld: ({ about: [domain = ''] }, bound) => {
        if (bound !== 'question') onBound(bound, domain);
      },
    });
  }

  /** Look-ups running and waiting now. */
  get load(): PlaceLoad {
    return this.#places.load;
  }

  /** Asks for a place. */
  enter(domain: string, asker: Asker): PlaceTicket {
    if (this.#places.waitingOf(asker.key) >= this.limits.maxLookups - this.load.waiting) {
      this.onBound('waiting', domain);
      if (!this.#places.makeRoomFor(asker)) return REFUSED;
    }
    return this.#places.enter({ asker, about: [domain] });
  }
}
