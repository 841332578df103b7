import { describe, expect, it } from 'vitest';

import { ApiError } from '../../../../src/core/base/errors/api-error.js';
import { RateLimit } from '../../../../src/core/base/limits/rate-limit.js';
import { ManualClock } from '../../../support/manual-clock.js';

function refusal(limit: RateLimit, userId: string): ApiError | null {
  try {
    limit.take(userId);
    return null;
  } catch (error) {
    return error as ApiError;
  }
}

describe('RateLimit', () => {
  it('answers 429 with the time to wait once the burst is used up', () => {
    const clock = new ManualClock();
    const limit = new RateLimit(
      { burst: 2, intervalMs: 4000 },
      { clock, refusal: 'Too many', bound: 'previews' },
    );
    limit.take('@a:x');
    limit.take('@a:x');

    const error = refusal(limit, '@a:x');

    expect(error).toMatchObject({
      status: 429,
      errcode: 'M_LIMIT_EXCEEDED',
      extra: { retry_after_ms: 4000 },
    });
    clock.advance(3999);
    expect(refusal(limit, '@a:x')).not.toBeNull();
    clock.advance(1);
    expect(refusal(limit, '@a:x')).toBeNull();
  });

  it('locks nobody out when the clock is set back', () => {
    const clock = new ManualClock();
    const limit = new RateLimit(
      { burst: 1, intervalMs: 1000 },
      { clock, refusal: 'Too many', bound: 'previews' },
    );
    limit.take('@a:x');
    clock.advance(-86_400_000);

    expect(refusal(limit, '@a:x')).toBeNull();
    expect(refusal(limit, '@a:x')).not.toBeNull();
  });
});
