import type { Clock } from '../clock.js';
import { HOUR_MS, MINUTE_MS } from '../clock.js';

/** A bound that was reached in the last hour. */
export interface NotedBound<B extends string> {
  bound: B;
  times: number;
  /** POSIX ms. */
  lastTs: number;
}

interface Note {
  times: number;
  lastTs: number;
  loggedTs: number;
}

/** Which bounds of a closed set were reached; each is logged once a minute. */
export class BoundNotes<B extends string> {
  readonly #notes = new Map<B, Note>();

  constructor(
    private readonly clock: Clock,
    private readonly log: (bound: B, about: string) => void,
  ) {}

  /** Notes that it was reached; `about` says by what: a host, a request. */
  note(bound: B, about: string): void {
    const nowTs = this.clock.now();
    const known = this.#notes.get(bound);
    const times = known === undefined || known.lastTs < nowTs - HOUR_MS ? 1 : known.times + 1;
    const isToLog = known === undefined || Math.abs(nowTs - known.loggedTs) >= MINUTE_MS;
    this.#notes.set(bound, { times, lastTs: nowTs, loggedTs: isToLog ? nowTs : known.loggedTs });
    if (isToLog) this.log(bound, about);
  }

  /** Those of the last hour. */
  get reached(): NotedBound<B>[] {
    const sinceTs = this.clock.now() - HOUR_MS;
    return [...this.#notes].flatMap(([bound, { times, lastTs }]) =>
      lastTs < sinceTs ? [] : [{ bound, times, lastTs }],
    );
  }
}
