import { onAbort } from '../deadline.js';
import { addCount } from '../add-count.js';
import type { Asker } from './asker.js';
import { newestOf, type PlaceTicket } from './place-ticket.js';
import { Places, type PlaceLoad } from './places.js';

/** How much may run and wait. */
export interface PlaceLimits {
  /** Places for anybody; one asker may hold all of them. */
  maxRunning: number;
  /** Further places, for askers who hold few: nobody may have more than a quarter of those that are free. */
  reserved: number;
  /** Everything that waits. */
  maxWaiting: number;
  /** And one more for an asker who holds none of it. No bound when absent. */
  maxRunningPerGroup?: number;
  maxWaitingPerGroup?: number;
  /** Whether there is memory for one more of an asker; `admit` is called when there is more. Always when absent. */
  hasMemory?: (asker: string) => boolean;
}

/** A bound that was reached: something waits for memory or a place (asker, group, total) or is refused (waiting). */
export type PlaceBound = 'memory' | 'asker' | 'group' | 'total' | 'waiting';

/** What places are made with. */
export interface FairPlacesOptions extends PlaceLimits {
  /** The error for what finds no room to wait, or gives way to somebody who waits with less. */
  full: (detail: string) => Error;
  /** The error for what is given up while it waits. */
  givenUp: (signal: AbortSignal, group: string) => Error;
  /** Told of each request that does not start at once. */
  onBound?: ((bound: PlaceBound, group: string) => void) | undefined;
}

/** Who wants a place, and for what: a host, a request. Those without an asker count as one. */
export interface GroupRequest {
  asker: Asker | undefined;
  group: string;
}

/** Reserved places go to many rather than to the first: each may hold this part of those that are free. */
const SHARES_OF_RESERVE = 4;

const NOBODY: Asker = { key: '', question: '' };

/**
 * Places for work, given by turns: by asker, among those by group, within it in order of arrival. What runs cannot be
 * taken back, so some places are kept for whoever holds few. A full queue drops what was added last by whoever has the
 * most in it, be it the newcomer; of several, whoever came last.
 */
export class FairPlaces {
  readonly #places: Places<'group'>;
  /** Why tickets were given up that were dropped. */
  readonly #refusals = new WeakMap<PlaceTicket, Error>();

  constructor(private readonly options: FairPlacesOptions) {
    this.#places = new Places({
      total: options.maxRunning + options.reserved,
      about: ['group'],
      questionOf: ([group = '']) => group,
      mayGo: (level, [key = '', , group = '']) =>
        level === 'group' ? this.#groupMay(key, group) : this.#askerMay(key),
    });
  }

  /** What runs and waits now. */
  get load(): PlaceLoad {
    return this.#places.load;
  }

  /** Gives places to whoever may have one now. */
  admit(): void {
    this.#places.admit();
  }

  /** Waits for a place; the function returned gives it back. Rejects with the errors of the options. */
  async enter({ asker, group }: GroupRequest, signal: AbortSignal): Promise<() => void> {
    const ticket = this.#places.enter({ asker: asker ?? NOBODY, about: [group] });
    if (ticket.hasPlace()) return ticket.leave;
    const bound = this.#boundOf(ticket.request.asker.key, group);
    if (bound !== null) {
      this.options.onBound?.(bound, group);
      this.#makeRoom(group);
    }
    const unlink = onAbort(signal, ticket.giveUp);
    const isAdmitted = await ticket.admitted;
    unlink();
    if (!isAdmitted) throw this.#refusals.get(ticket) ?? this.options.givenUp(signal, group);
    return ticket.leave;
  }

  #askerMay(key: string): boolean {
    if (!this.#hasMemory(key)) return false;
    const { maxRunning, reserved } = this.options;
    const { running } = this.load;
    if (running < maxRunning) return true;
    return SHARES_OF_RESERVE * this.#places.held([key]) < maxRunning + reserved - running;
  }

  #hasMemory(key: string): boolean {
    return this.options.hasMemory?.(key) !== false;
  }

  #groupMay(key: string, group: string): boolean {
    const left = (this.options.maxRunningPerGroup ?? Infinity) - this.#places.held(['', '', group]);
    return left > 0 || (left === 0 && this.#places.held([key, `${key} ${group}`]) === 0);
  }

  #boundOf(key: string, group: string): PlaceBound | null {
    const { maxRunning, reserved } = this.options;
    if (!this.#hasMemory(key)) return 'memory';
    if (!this.#groupMay(key, group)) return 'group';
    if (this.load.running >= maxRunning + reserved) return 'total';
    return this.#askerMay(key) ? null : 'asker';
  }

  /** Once the newcomer waits as well. */
  #makeRoom(group: string): void {
    const { maxWaiting, maxWaitingPerGroup = Infinity } = this.options;
    if (this.load.waiting <= Math.min(maxWaiting, maxWaitingPerGroup)) return;
    const all = this.#places.waiting;
    const ofGroup = all.filter(({ request }) => request.about[0] === group);
    const isGroupFull = ofGroup.length > maxWaitingPerGroup;
    if (!isGroupFull && all.length <= maxWaiting) return;
    this.options.onBound?.('waiting', group);
    const loser = newestOf(ofGreediest(isGroupFull ? ofGroup : all));
    if (loser === undefined) return;
    const waiting = `${all.length} are waiting, ${ofGroup.length} of them for ${group}`;
    this.#refusals.set(loser, this.options.full(waiting));
    loser.leave();
  }
}

/** What is asked for by whoever asks for the most of these; of several, by whoever asked last. */
function ofGreediest(tickets: readonly PlaceTicket[]): PlaceTicket[] {
  const counts = new Map<string, number>();
  for (const { request } of tickets) addCount(counts, request.asker.key, 1);
  const most = Math.max(0, ...counts.values());
  const greediest = tickets.findLast(({ request }) => counts.get(request.asker.key) === most);
  return tickets.filter(({ request }) => request.asker.key === greediest?.request.asker.key);
}
