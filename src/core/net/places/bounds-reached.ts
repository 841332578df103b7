import type { Clock } from '../../base/clock.js';
import { HOUR_MS, MINUTE_MS } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';

/** What was held back by one bound. */
export interface BoundReached<Bound extends string> {
  bound: Bound;
  /** In the last hour or since the one before, whichever is longer. */
  times: number;
  lastTs: number;
}

/** What it is told with. */
export interface BoundsReachedOptions {
  clock: Clock;
  logger: Logger;
  /** Of the line in the log, at most one a minute for each bound. */
  sentence: string;
}

/** Bounds that were reached: for health, and for the log now and then. */
export class BoundsReached<Bound extends string> {
  readonly #bounds = new Map<Bound, { times: number; lastTs: number; loggedTs: number }>();

  constructor(private readonly options: BoundsReachedOptions) {}

  /** Those of the last hour. */
  get lately(): BoundReached<Bound>[] {
    const sinceTs = this.options.clock.now() - HOUR_MS;
    return Array.from(this.#bounds, ([bound, { times, lastTs }]) => ({ bound, times, lastTs })).filter(
      ({ lastTs }) => lastTs >= sinceTs,
    );
  }

  /** One was reached; the detail goes into the log. */
  note(bound: Bound, detail: Readonly<Record<string, string | number>>): void {
    const nowTs = this.options.clock.now();
    const known = this.#bounds.get(bound);
    const times = known === undefined || known.lastTs < nowTs - HOUR_MS ? 1 : known.times + 1;
    const isToLog = known === undefined || Math.abs(nowTs - known.loggedTs) >= MINUTE_MS;
    this.#bounds.set(bound, { times, lastTs: nowTs, loggedTs: isToLog ? nowTs : known.loggedTs });
    if (isToLog) this.options.logger.warn({ bound, ...detail }, this.options.sentence);
  }
}
