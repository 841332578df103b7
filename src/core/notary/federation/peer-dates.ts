import { LRUCache } from 'lru-cache';

import { HOUR_MS, type Clock } from '../../base/clock.js';

/** What the clocks of other servers say of ours. */
export interface PeerTime {
  /** Servers whose answers were compared. */
  servers: number;
  /** Our clock less theirs, ms: the median, so that single servers with wrong clocks count for nothing. */
  differenceMs: number;
  /** The latest of those answers, POSIX ms. */
  latestTs: number;
}

const MAX_SERVERS = 100;
const LATELY_MS = HOUR_MS;
/** Of fewer, one with a wrong clock would decide. */
const MIN_SERVERS = 3;

/** The times that answers of other servers state (RFC 9110 §6.6.1), beside our own at their arrival. */
export class PeerDates {
  readonly #answers = new LRUCache<string, { ts: number; differenceMs: number }>({ max: MAX_SERVERS });

  constructor(private readonly clock: Clock) {}

  /** Notes an answer by its header `Date`; what is no date is passed over. */
  note(host: string, date: string | undefined): void {
    const statedTs = Date.parse(date ?? '');
    if (Number.isNaN(statedTs)) return;
    const ts = this.clock.now();
    this.#answers.set(host, { ts, differenceMs: ts - statedTs });
  }

  /** What those of the last hour say; `null` when there are too few. */
  get lately(): PeerTime | null {
    const nowTs = this.clock.now();
    const recent = [...this.#answers.values()].filter(({ ts }) => Math.abs(nowTs - ts) < LATELY_MS);
    if (recent.length < MIN_SERVERS) return null;
    const differences = recent.map(({ differenceMs }) => differenceMs).toSorted((a, b) => a - b);
    return {
      servers: recent.length,
      differenceMs: differences[Math.floor(differences.length / 2)] ?? 0,
      latestTs: Math.max(...recent.map(({ ts }) => ts)),
    };
  }
}
