import type { Clock } from '../clock.js';
import { ApiError, type RefusedRequest } from '../errors/api-error.js';
import { entryCache } from '../runtime/cache.js';

/** How much of something one client may have done. */
export interface RateLimitSettings {
  /** Allowed at once; 0: no limit. */
  burst: number;
  /** Time after which one more is allowed. */
  intervalMs: number;
}

const MAX_CLIENTS = 50_000;

/** A token bucket for each client. */
export class TokenBuckets {
  readonly #buckets = entryCache<{ tokens: number; atMs: number }>(MAX_CLIENTS);

  constructor(
    protected settings: RateLimitSettings,
    private readonly nowMs: () => number,
  ) {}

  /** Takes another limit from now on; what clients have taken stays taken. */
  replace(settings: RateLimitSettings): void {
    this.settings = settings;
  }

  left(client: string): number {
    const { burst, intervalMs } = this.settings;
    const bucket = this.#buckets.get(client);
    if (burst === 0) return Infinity;
    if (bucket === undefined) return burst;
    // A clock set back must not lock a client out.
    const elapsedMs = Math.abs(this.nowMs() - bucket.atMs);
    return Math.min(burst, bucket.tokens + elapsedMs / intervalMs);
  }

  spend(client: string): void {
    const left = this.left(client);
    if (left < Infinity) this.#buckets.set(client, { tokens: Math.max(0, left - 1), atMs: this.nowMs() });
  }

  /** Returns one that was spent. */
  giveBack(client: string): void {
    const tokens = Math.min(this.settings.burst, this.left(client) + 1);
    this.#buckets.set(client, { tokens, atMs: this.nowMs() });
  }
}

/** Refuses what exceeds a limit. */
export class RateLimit extends TokenBuckets {
  constructor(
    settings: RateLimitSettings,
    /** `refusal`: the message for a client that has none left. */
    private readonly options: { clock: Clock; refusal: string; bound: RefusedRequest },
  ) {
    super(settings, () => options.clock.now());
  }

  /** Takes one token of the client. Throws 429 with the time to wait when there is none. */
  take(client: string): void {
    const tokens = this.left(client);
    if (tokens < 1) {
      const retryAfterMs = Math.ceil((1 - tokens) * this.settings.intervalMs);
      throw new ApiError(429, this.options.refusal, {
        errcode: 'M_LIMIT_EXCEEDED',
        bound: this.options.bound,
        retryAfterSeconds: retryAfterMs / 1000,
        extra: { retry_after_ms: retryAfterMs },
      });
    }
    this.spend(client);
  }
}
