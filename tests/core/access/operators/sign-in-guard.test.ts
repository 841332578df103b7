import { beforeEach, describe, expect, it } from 'vitest';

import { SignInGuard, addressKey } from '../../../../src/core/access/operators/sign-in-guard.js';
import { ApiError } from '../../../../src/core/base/errors/api-error.js';
import { ManualClock } from '../../../support/manual-clock.js';

const MINUTE_MS = 60_000;

describe('SignInGuard', () => {
  let clock: ManualClock;
  let guard: SignInGuard;
  beforeEach(() => {
    clock = new ManualClock();
    guard = new SignInGuard(clock);
  });

  /** Seconds to wait; `null` when the try was let in. */
  function wait(key = 'a'): number | null {
    try {
      guard.enter(key);
      return null;
    } catch (error) {
      if (error instanceof ApiError && error.status === 429 && error.reason === 'rate_limited') {
        return error.retryAfterSeconds;
      }
      throw error;
    }
  }
  const tries = (count: number) => Array.from({ length: count }, () => wait());

  it('lets five tries a minute in; the sixth waits a minute', () => {
    expect(tries(6)).toEqual([null, null, null, null, null, 60]);
    clock.advance(59_001);
    expect(wait()).toBe(1);
    clock.advance(999);
    expect(wait()).toBeNull();
  });

  it('lets in again what came more than a minute ago', () => {
    tries(4);
    clock.advance(MINUTE_MS);
    expect(tries(6)).toEqual([null, null, null, null, null, 60]);
  });

  it('doubles the wait each time, up to an hour', () => {
    const waits = Array.from({ length: 9 }, () => {
      const seconds = tries(6).at(-1) ?? 0;
      clock.advance(seconds * 1000);
      return seconds / 60;
    });

    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  it('does not lengthen the wait for tries during it', () => {
    tries(6);
    clock.advance(30_000);
    expect(tries(20)).toEqual(Array.from({ length: 20 }, () => 30));
  });

  it('begins with a minute again after a day of quiet', () => {
    tries(6);
    clock.advance(MINUTE_MS);
    expect(tries(6).at(-1)).toBe(120);
    clock.advance(24 * 3_600_000 + 1);
    expect(tries(6).at(-1)).toBe(60);
  });

  it('counts simultaneous tries before their outcome is known', () => {
    expect(tries(10).filter((seconds) => seconds === null)).toHaveLength(5);
  });

  it('takes back a right one alone, so that it pays for no wrong ones', () => {
    tries(4);
    guard.enter('a').succeed();

    expect(tries(2)).toEqual([null, 60]);
  });

  it('lets right ones in however many they are, and keeps the wait growing', () => {
    for (let at = 0; at < 20; at += 1) guard.enter('a').succeed();
    tries(6);
    clock.advance(MINUTE_MS);
    guard.enter('a').succeed();

    expect(tries(6).at(-1)).toBe(120);
  });

  it('keeps keys apart', () => {
    tries(6);
    expect(wait('b')).toBeNull();
  });
});

describe('addressKey', () => {
  it.each([
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff', true],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['2001:0db8:0001:0002::1', '2001:db8:1:2::2', true],
    ['::1', '::2', true],
    ['192.0.2.1', '::ffff:192.0.2.1', true],
    ['192.0.2.1', '192.0.2.2', false],
    ['unix:', 'unix:', true],
  ])('%s and %s count together: %s', (left, right, expected) => {
    expect(addressKey(left) === addressKey(right)).toBe(expected);
  });
});
