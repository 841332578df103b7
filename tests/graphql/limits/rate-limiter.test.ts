import { describe, expect, it } from 'vitest';

import { RateLimiter } from '../../../src/graphql/limits/rate-limiter.js';

describe('the rate limiter', () => {
  function limiter(): { rates: RateLimiter; clock: { nowMs: number } } {
    const clock = { nowMs: 5000 };
    const rates = new RateLimiter({ times: 10, intervalMs: 60_000, monotonicNowMs: () => clock.nowMs });
    return { rates, clock };
  }

  const waitOf = (work: () => void): unknown => {
    try {
      work();
      return 0;
    } catch (error) {
      return (error as { extensions: Record<string, unknown> }).extensions['retryAfterMs'];
    }
  };

  it('lets so many through at once, and tells the wait for one more', () => {
    const { rates } = limiter();
    for (let time = 0; time < 10; time += 1) rates.take('a');

    expect(waitOf(() => rates.take('a'))).toBe(6000);
    expect(waitOf(() => rates.take('b'))).toBe(0);
  });

  it('lets one through exactly after the wait it told', () => {
    const { rates, clock } = limiter();
    rates.take('a', 10);
    clock.nowMs += 5999;
    expect(waitOf(() => rates.take('a'))).toBe(1);
    clock.nowMs += 1;

    expect(waitOf(() => rates.take('a'))).toBe(0);
  });

  it('a refused try costs nothing', () => {
    const { rates, clock } = limiter();
    rates.take('a', 9);
    for (let time = 0; time < 50; time += 1) expect(waitOf(() => rates.take('a', 2))).toBe(6000);
    clock.nowMs += 6000;

    expect(waitOf(() => rates.take('a', 2))).toBe(0);
  });

  it('saves up no more than one interval', () => {
    const { rates, clock } = limiter();
    rates.take('a');
    clock.nowMs += 3_600_000;

    expect(waitOf(() => rates.take('a', 11))).toBeGreaterThan(0);
    expect(waitOf(() => rates.take('a', 10))).toBe(0);
  });
});
