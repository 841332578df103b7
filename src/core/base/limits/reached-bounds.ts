import { HOUR_MS, MINUTE_MS, type Clock } from '../clock.js';
import type { RefusedRequest } from '../errors/api-error.js';
import type { FairQueueOptions } from '../fair-queue.js';

/** A bound that was reached within the last hour. */
export interface ReachedBound<Bound extends string> {
  bound: Bound;
  /** Times in a row that were less than an hour apart. */
  times: number;
}

export interface ReachedBoundsOptions<Bound extends string> {
  clock: Clock;
  /** Called at most once a minute for each bound. */
  log: (line: ReachedBound<Bound> & Readonly<Record<string, unknown>>) => void;
  /** Called each time. */
  count?: ((bound: Bound) => void) | undefined;
}

/** Bounds that were reached: for the metrics, for the log now and then, and for health. */
export class ReachedBounds<Bound extends string> {
  readonly #reached = new Map<Bound, { times: number; lastTs: number; loggedTs: number }>();

  constructor(private readonly options: ReachedBoundsOptions<Bound>) {}

  /** Notes that a bound was reached; the details go into the log. */
  note(bound: Bound, details: Readonly<Record<string, unknown>> = {}): void {
    const { clock, log, count } = this.options;
    const nowTs = clock.now();
    const known = this.#reached.get(bound);
    const times = known === undefined || known.lastTs < nowTs - HOUR_MS ? 1 : known.times + 1;
    const isToLog = known === undefined || Math.abs(nowTs - known.loggedTs) >= MINUTE_MS;
    this.#reached.set(bound, { times, lastTs: nowTs, loggedTs: isToLog ? nowTs : known.loggedTs });
    count?.(bound);
    if (isToLog) log({ bound, times, ...details });
  }

  /** Notes each request that a queue drops; having to wait is nothing to report. */
  whenDropped(bound: Bound): NonNullable<FairQueueOptions['onLimit']> {
    return (limit, { client }) => (limit === 'waiting' ? this.note(bound, { client }) : undefined);
  }

  /** Those of the last hour. */
  get lately(): ReachedBound<Bound>[] {
    const sinceTs = this.options.clock.now() - HOUR_MS;
    return Array.from(this.#reached, ([bound, { times, lastTs }]) =>
      lastTs < sinceTs ? [] : [{ bound, times }],
    ).flat();
  }
}

/** Limits that clients share, and those of single requests. */
export type ClientBound =
  | 'connections'
  | 'client_connections'
  | 'bodies'
  | 'client_bodies'
  | 'unsent'
  | 'client_unsent'
  | 'stalled'
  | 'large_answers'
  | 'pipelined'
  | 'tokens'
  | 'log_reads'
  | 'token_reads'
  | RefusedRequest;
export type ReachedClientBounds = ReachedBounds<ClientBound>;
/** What other servers sent until a TLS connection stood. */
export type ReachedHandshakes = ReachedBounds<'handshake_bytes'>;
