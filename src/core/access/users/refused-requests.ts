import { LRUCache } from 'lru-cache';

import type { Clock } from '../../base/clock.js';
import { ApiError } from '../../base/errors/api-error.js';

/**
 * Requests that were refused for the same reason before anybody looked what they ask for. 401 and 403: the client is not
 * allowed; 503: access could not be checked, or the store is away.
 */
type RefusalGroup = Pick<ApiError, 'status' | 'errcode' | 'message'> & {
  times: number;
  /** POSIX ms, of the group as it is remembered. */
  firstTs: number;
  lastTs: number;
  /** Of the latest, for the log. */
  requestId: string;
};

/** Reasons that are remembered; messages may be a homeserver's. */
const MAX_GROUPS = 50;

/** The label of the metric preview_refusals_total. */
export type RefusalKind = 'denied' | 'unavailable';

/** Preview requests refused before processing. Of this process, since its start. */
export class RefusedRequests {
  readonly #groups = new LRUCache<string, RefusalGroup>({ max: MAX_GROUPS });

  constructor(private readonly options: { clock: Clock; count: (refusal: RefusalKind) => void }) {}

  /** Counts a refusal and gives it back to be thrown on; errors of other kinds are left alone. */
  note(error: unknown, requestId: string): unknown {
    if (!(error instanceof ApiError)) return error;
    const { status, errcode, message } = error;
    if (status !== 401 && status !== 403 && status !== 503) return error;
    const { clock, count } = this.options;
    count(status === 503 ? 'unavailable' : 'denied');
    const key = `${status} ${errcode} ${message}`;
    const lastTs = clock.now();
    const { times, firstTs } = this.#groups.get(key) ?? { times: 0, firstTs: lastTs };
    this.#groups.set(key, { status, errcode, message, times: times + 1, firstTs, lastTs, requestId });
    return error;
  }

  /** By their latest, newest first. */
  list(): RefusalGroup[] {
    return [...this.#groups.values()].toSorted((a, b) => b.lastTs - a.lastTs);
  }
}
