import { HOUR_MS, MINUTE_MS } from '../clock.js';
import type { Clock } from '../clock.js';
import type { Logger } from '../logger.js';

/** A bound that was reached within the last hour. */
export interface ReachedBound<Bound extends string> {
  bound: Bound;
  /** Times in a row that were less than an hour apart. */
  times: number;
}

/** What it is built from. */
export interface ReachedBoundsOptions<Bound extends string> {
  clock: Clock;
  logger: Logger;
  /** Message of the log line, which names the bound as `bound`. */
  message: string;
  /** Told each time. */
  count(bound: Bound): void;
}

/** Bounds that were reached: each time is counted, and logged at most once a minute for each bound. */
export class ReachedBounds<Bound extends string> {
  readonly #reached = new Map<Bound, { times: number; lastTs: number; loggedTs: number }>();

  constructor(private readonly options: ReachedBoundsOptions<Bound>) {}

  note(bound: Bound, details: Record<string, unknown> = {}): void {
    const { clock, logger, message } = this.options;
    const nowTs = clock.now();
    const known = this.#reached.get(bound);
    const times = known === undefined || known.lastTs < nowTs - HOUR_MS ? 1 : known.times + 1;
    const isToLog = known === undefined || Math.abs(nowTs - known.loggedTs) >= MINUTE_MS;
    this.#reached.set(bound, { times, lastTs: nowTs, loggedTs: isToLog ? nowTs : known.loggedTs });
    this.options.count(bound);
    if (isToLog) logger.warn({ bound, times, ...details }, message);
  }

  /** Those of the last hour. */
  get lately(): ReachedBound<Bound>[] {
    const sinceTs = this.options.clock.now() - HOUR_MS;
    return [...this.#reached]
      .filter(([, { lastTs }]) => lastTs >= sinceTs)
      .map(([bound, { times }]) => ({ bound, times }));
  }
}

/**
 * What clients can use up of the listeners: `connections` in total, `client_connections` of one client,
 * `unsent` bytes in total, `client_unsent` of one client, `stalled`: an answer nobody reads, `large_answers` that
 * wait for their turn, `pipelined` requests of one connection, `tokens` that wait for the homeserver's word.
 */
export const CLIENT_BOUNDS = [
  'connections',
  'client_connections',
  'unsent',
  'client_unsent',
  'stalled',
  'large_answers',
  'pipelined',
  'tokens',
] as const;
export type ClientBound = (typeof CLIENT_BOUNDS)[number];
export type ReachedClientBounds = ReachedBounds<ClientBound>;
/** What other servers sent until a TLS connection stood. */
export type ReachedHandshakes = ReachedBounds<'max_tls_handshake_size'>;
