import type { Rank } from '../../base/places/place-ticket.js';

/** A place that is given back while name servers are waited for, and taken again before a connection is made. */
export interface LentPlace {
  /** 0: what it is for has answered before. */
  readonly rank: Rank;
  /** Takes the place for a connection to an address, unless it is held; `false` when there is none to be had. */
  take(address: string): Promise<boolean>;
  /** Called when it is given back, before others can have it: connections are only kept by those who hold one. */
  onGivenBack: () => void;
  /** The outcome of a look-up. */
  during<T>(lookUp: Promise<T>): Promise<T>;
}
