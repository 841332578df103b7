import { graphqlError } from '../common/graphql-errors.js';
import { entryCache } from '../../core/base/runtime/entry-cache.js';

/** How often something may be done. */
export interface Rate {
  /** So often at once, and again in each interval. */
  times: number;
  intervalMs: number;
  /** A clock that never goes back, such as `performance.now`. */
  monotonicNowMs: () => number;
}

interface Bucket {
  left: number;
  atMs: number;
}

const MAX_REMEMBERED = 10_000;

/** Lets each key do something so often: a bucket of permits that fills evenly. In memory. */
export class RateLimiter {
  readonly #buckets = entryCache<Bucket>(MAX_REMEMBERED);

  constructor(private readonly rate: Rate) {}

  /** Takes permits. Throws `RATE_LIMITED` with the time to wait when there are not enough left. */
  take(key: string, permits = 1): void {
    const { times, intervalMs } = this.rate;
    const { left, atMs } = this.#now(key);
    const isEnough = left >= permits;
    this.#buckets.set(key, { left: isEnough ? left - permits : left, atMs });
    if (isEnough) return;
    // What never fits does not fit later either; the wait is that for a full bucket.
    const missing = Math.min(permits, times) - left;
    throw rateLimited(Math.max(1, Math.ceil((missing * intervalMs) / times)));
  }

  #now(key: string): Bucket {
    const { times, intervalMs, monotonicNowMs } = this.rate;
    const nowMs = monotonicNowMs();
    const known = this.#buckets.get(key) ?? { left: times, atMs: nowMs };
    return { left: Math.min(times, known.left + ((nowMs - known.atMs) * times) / intervalMs), atMs: nowMs };
  }
}

/** 429 with the time after which it is worth trying again. */
export function rateLimited(retryAfterMs: number): Error {
  return graphqlError('RATE_LIMITED', 'Too many requests; wait before the next one', { retryAfterMs });
}
