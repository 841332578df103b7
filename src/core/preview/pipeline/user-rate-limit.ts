import { LRUCache } from 'lru-cache';

import type { Clock } from '../../base/clock.js';
import { ApiError } from '../../base/errors/api-error.js';

/** How many previews a user may have made. */
export interface RateLimitSettings {
  /** Previews allowed at once; 0: no limit. */
  burst: number;
  /** One more is allowed after each interval. */
  intervalMs: number;
}

const MAX_USERS = 50_000;

/** Token bucket per user. Only previews that have to be made count, never answers from a cache. */
export class UserRateLimit {
  readonly #buckets = new LRUCache<string, { tokens: number; ts: number }>({ max: MAX_USERS });

  constructor(
    private settings: RateLimitSettings,
    private readonly clock: Clock,
  ) {}

  /** Takes another limit from now on; what users have taken stays taken. */
  replace(settings: RateLimitSettings): void {
    this.settings = settings;
  }

  /** Takes one token of the user. Throws 429 with the time to wait when there is none. */
  take(userId: string): void {
    const { burst, intervalMs } = this.settings;
    if (burst === 0) return;
    const nowTs = this.clock.now();
    const bucket = this.#buckets.get(userId) ?? { tokens: burst, ts: nowTs };
    const tokens = Math.min(burst, bucket.tokens + Math.max(0, nowTs - bucket.ts) / intervalMs);
    if (tokens < 1) {
      const retryAfterMs = Math.ceil((1 - tokens) * intervalMs);
      throw new ApiError(429, 'Too many previews', {
        errcode: 'M_LIMIT_EXCEEDED',
        retryAfterSeconds: retryAfterMs / 1000,
        extra: { retry_after_ms: retryAfterMs },
      });
    }
    this.#buckets.set(userId, { tokens: tokens - 1, ts: nowTs });
  }
}
