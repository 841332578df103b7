import type { Clock } from '../clock.js';
import { ApiError } from '../errors/api-error.js';
import type { RefusedRequest } from './reached-bounds.js';
import { entryCache } from '../runtime/entry-cache.js';

/** How much of something one client may have done. */
export interface RateLimitSettings {
  /** Allowed at once; 0: no limit. */
  burst: number;
  /** One more is allowed after each interval. */
  intervalMs: number;
}

/** What a limit is kept with. */
export interface RateLimitOptions {
  clock: Clock;
  /** What a client is told that has none left. */
  refusal: string;
  bound: RefusedRequest;
}

const MAX_CLIENTS = 50_000;

/** Token bucket per client. */
export class RateLimit {
  readonly #buckets = entryCache<{ tokens: number; ts: number }>(MAX_CLIENTS);

  constructor(
    private settings: RateLimitSettings,
    private readonly options: RateLimitOptions,
  ) {}

  /** Takes another limit from now on; what clients have taken stays taken. */
  replace(settings: RateLimitSettings): void {
    this.settings = settings;
  }

  /** Takes one token of the client. Throws 429 with the time to wait when there is none. */
  take(client: string): void {
    const { burst, intervalMs } = this.settings;
    if (burst === 0) return;
    const { tokens, nowTs } = this.#left(client);
    if (tokens < 1) {
      const retryAfterMs = Math.ceil((1 - tokens) * intervalMs);
      throw new ApiError(429, this.options.refusal, {
        errcode: 'M_LIMIT_EXCEEDED',
        bound: this.options.bound,
        retryAfterSeconds: retryAfterMs / 1000,
        extra: { retry_after_ms: retryAfterMs },
      });
    }
    this.#buckets.set(client, { tokens: tokens - 1, ts: nowTs });
  }

  #left(client: string): { tokens: number; nowTs: number } {
    const { burst, intervalMs } = this.settings;
    const nowTs = this.options.clock.now();
    const bucket = this.#buckets.get(client) ?? { tokens: burst, ts: nowTs };
    // A clock set back must not lock a client out.
    const elapsedMs = Math.abs(nowTs - bucket.ts);
    const tokens = Math.min(burst, bucket.tokens + elapsedMs / intervalMs);
    return { tokens, nowTs };
  }
}
