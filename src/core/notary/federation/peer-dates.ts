import type { Clock } from '../../base/clock.js';

/** What the clocks of other servers say of ours. */
export interface PeerTime {
  /** Servers whose answers were compared. */
  servers: number;
  /** Our clock less theirs, ms: the median, so that single servers with wrong clocks count for nothing. */
  differenceMs: number;
}

/** Of fewer, one with a wrong clock would decide. */
const MIN_SERVERS = 3;

/** The times that answers of other servers state (RFC 9110 §6.6.1), beside our own at their arrival. */
export class PeerDates {
  readonly #differencesMs = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  /** Notes an answer by its header `Date`; what is not a date is passed over. */
  note(host: string, date: string | undefined): void {
    const statedTs = Date.parse(date ?? '');
    if (!Number.isNaN(statedTs)) this.#differencesMs.set(host, this.clock.now() - statedTs);
  }

  /** What they say together; `null` when there are too few. */
  get median(): PeerTime | null {
    const { size: servers } = this.#differencesMs;
    if (servers < MIN_SERVERS) return null;
    const differencesMs = [...this.#differencesMs.values()].toSorted((a, b) => a - b);
    return { servers, differenceMs: differencesMs[Math.floor(servers / 2)] ?? 0 };
  }
}
