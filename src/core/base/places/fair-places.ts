import type { Asker } from './asker.js';
import { abortable } from '../deadline.js';
import { Turns } from './turns.js';

/** How much may run and wait. */
export interface PlaceLimits {
  /** Places for anybody; one asker may hold all of them. */
  maxRunning: number;
  /** Further places, for askers who hold few: nobody may have more than a quarter of those that are free. */
  reserved: number;
  /** Everything that waits. */
  maxWaiting: number;
  /** No bound when absent. */
  maxRunningPerGroup?: number;
  maxWaitingPerGroup?: number;
}

/** A bound that was reached: something waits for a place (asker, group, total) or is refused (waiting). */
export const PLACE_BOUNDS = ['asker', 'group', 'total', 'waiting'] as const;
export type PlaceBound = (typeof PLACE_BOUNDS)[number];

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
export interface PlaceRequest {
  asker: Asker | undefined;
  group: string;
}

interface Waiter {
  readonly key: string;
  readonly group: string;
  start: () => void;
  refuse: (error: Error) => void;
}

/** Reserved places go to many rather than to the first: each may hold this part of those that are free. */
const SHARES_OF_RESERVE = 4;

/**
 * Places for work, given by turns: by asker, among those by group, within it in order of arrival. What runs cannot be
 * taken back, so some places are kept for whoever holds few. A full queue drops what was added last by the asker with
 * the most in it, unless that is the newcomer.
 */
export class FairPlaces {
  readonly #turns = new Turns<Waiter>();
  /** In order of arrival. */
  readonly #waiting = new Set<Waiter>();
  /** How many run, by asker and by group. */
  readonly #askers = new Map<string, number>();
  readonly #groups = new Map<string, number>();
  #running = 0;

  constructor(private readonly options: FairPlacesOptions) {}

  /** What runs and waits now. */
  get load(): { running: number; queued: number } {
    return { running: this.#running, queued: this.#waiting.size };
  }

  /** Waits for a place; the function returned gives it back. Rejects with the errors of the options. */
  async enter({ asker, group }: PlaceRequest, signal: AbortSignal): Promise<() => void> {
    const waiter: Waiter = { key: asker?.key ?? '', group, start: noop, refuse: noop };
    if (this.#askerMay(waiter.key) && this.#groupMay(group)) this.#start(waiter);
    else await this.#wait(waiter, signal);
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      this.#leave(waiter);
    };
  }

  #askerMay(key: string): boolean {
    const { maxRunning, reserved } = this.options;
    if (this.#running < maxRunning) return true;
    const free = maxRunning + reserved - this.#running;
    return SHARES_OF_RESERVE * (this.#askers.get(key) ?? 0) < free;
  }

  #groupMay(group: string): boolean {
    return (this.#groups.get(group) ?? 0) < (this.options.maxRunningPerGroup ?? Infinity);
  }

  #start({ key, group }: Waiter): void {
    this.#running += 1;
    count(this.#askers, key, 1);
    count(this.#groups, group, 1);
  }

  #leave({ key, group }: Waiter): void {
    this.#running -= 1;
    count(this.#askers, key, -1);
    count(this.#groups, group, -1);
    this.#admit();
  }

  async #wait(waiter: Waiter, signal: AbortSignal): Promise<void> {
    this.#tellBound(waiter);
    this.#makeRoom(waiter);
    await abortable<void>(signal, (resolve, reject) => {
      waiter.start = resolve;
      waiter.refuse = reject;
      this.#waiting.add(waiter);
      this.#turns.add(pathOf(waiter), waiter);
      return () => {
        if (this.#remove(waiter)) reject(this.options.givenUp(signal, waiter.group));
      };
    });
  }

  #makeRoom(newcomer: Waiter): void {
    const { maxWaiting, maxWaitingPerGroup = Infinity } = this.options;
    if (this.#waiting.size < Math.min(maxWaiting, maxWaitingPerGroup)) return;
    const all = [...this.#waiting];
    const ofGroup = all.filter(({ group }) => group === newcomer.group);
    const isGroupFull = ofGroup.length >= maxWaitingPerGroup;
    if (!isGroupFull && all.length < maxWaiting) return;
    this.options.onBound?.('waiting', newcomer.group);
    const refusal = this.options.full(
      `${all.length} are waiting, ${ofGroup.length} of them for ${newcomer.group}`,
    );
    const loser = newestOfGreediest(isGroupFull ? ofGroup : all, newcomer.key);
    if (loser === null) throw refusal;
    this.#remove(loser);
    loser.refuse(refusal);
  }

  /** `false`: it waits no longer. */
  #remove(waiter: Waiter): boolean {
    this.#turns.remove(pathOf(waiter), waiter);
    return this.#waiting.delete(waiter);
  }

  #admit(): void {
    for (;;) {
      const waiter = this.#turns.take(([key = '', group]) =>
        group === undefined ? this.#askerMay(key) : this.#groupMay(group),
      );
      if (waiter === null) return;
      this.#waiting.delete(waiter);
      this.#start(waiter);
      waiter.start();
    }
  }

  #tellBound({ key, group }: Waiter): void {
    const { maxRunning, reserved, onBound } = this.options;
    if (!this.#groupMay(group)) onBound?.('group', group);
    else if (this.#running >= maxRunning + reserved) onBound?.('total', group);
    else if (!this.#askerMay(key)) onBound?.('asker', group);
  }
}

/** What was added last by the asker with the most among these; `null`: the newcomer would then have as many. */
function newestOfGreediest(waiters: readonly Waiter[], newcomer: string): Waiter | null {
  const counts = new Map<string, number>();
  for (const { key } of waiters) count(counts, key, 1);
  const most = Math.max(0, ...counts.values());
  if (most <= (counts.get(newcomer) ?? 0) + 1) return null;
  return waiters.findLast(({ key }) => counts.get(key) === most) ?? null;
}

const pathOf = ({ key, group }: Waiter): string[] => [key, group];

function noop(): void {}

function count(counts: Map<string, number>, key: string, by: number): void {
  const now = (counts.get(key) ?? 0) + by;
  if (now === 0) counts.delete(key);
  else counts.set(key, now);
}
