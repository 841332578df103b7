import { describe, expect, it } from 'vitest';

import {
  admitFetch,
  afterFailure,
  afterSuccess,
  unknownHealth,
  type ServerHealth,
  type ThrottleSettings,
} from '../../../../src/core/notary/keys/fetch-throttle.js';

const settings: ThrottleSettings = {
  burst: 10,
  intervalMs: 6000,
  backoffAfterFailures: 3,
  backoffInitialMs: 5000,
  backoffMaximumMs: 600_000,
};

function fail(health: ServerHealth, times: number, reason = 'timeout'): ServerHealth {
  let failed = health;
  for (let count = 0; count < times; count += 1) {
    failed = afterFailure(failed, { startedTs: 0, endedTs: 1000, reason, message: 'm' }, settings);
  }
  return failed;
}

describe('back-off', () => {
  it('lets a fetch out right after one and after two failures', () => {
    for (const failures of [1, 2]) {
      const health = fail(unknownHealth(0, settings), failures);
      expect(admitFetch(health, false, { nowTs: 1000, settings }).verdict).toBe('go');
    }
  });

  it.each([
    [3, 5000],
    [4, 10_000],
    [5, 20_000],
    [9, 320_000],
    [10, 600_000],
    [1000, 600_000],
  ])('after %i failures in a row waits %i ms', (failures, waitMs) => {
    const health = fail(unknownHealth(0, settings), failures);

    expect(health.nextTryTs).toBe(1000 + waitMs);
    expect(admitFetch(health, false, { nowTs: 1000 + waitMs - 1, settings }).verdict).toBe('backoff');
    expect(admitFetch(health, false, { nowTs: 1000 + waitMs, settings }).verdict).toBe('go');
  });

  it('is a minute at most while names are not resolved, which may be our doing', () => {
    const waits = [2, 3, 6, 7, 1000].map(
      (failures) => fail(unknownHealth(0, settings), failures, 'dns_failure').nextTryTs,
    );

    expect(waits).toEqual([0, 6000, 41_000, 61_000, 61_000]);
  });

  it('is no longer than the maximum when the clock is set back', () => {
    const health = fail(unknownHealth(0, settings), 1000);
    const setBackTs = health.nextTryTs - settings.backoffMaximumMs;

    expect(admitFetch(health, false, { nowTs: setBackTs, settings }).verdict).toBe('backoff');
    expect(admitFetch(health, false, { nowTs: setBackTs - 1, settings }).verdict).toBe('go');
  });

  it('is over after one success', () => {
    const health = afterSuccess(fail(unknownHealth(0, settings), 7), 5000);

    expect(health).toMatchObject({ failCount: 0, nextTryTs: 0, lastErrorReason: null, lastOkTs: 5000 });
  });
});

describe('throttle', () => {
  function drain(
    nowTs: number,
    from: ServerHealth,
    wanted: number,
  ): { passed: number; health: ServerHealth } {
    let health = from;
    let passed = 0;
    for (let count = 0; count < wanted; count += 1) {
      const admitted = admitFetch(health, true, { nowTs, settings });
      health = admitted.health;
      if (admitted.verdict === 'go') passed += 1;
    }
    return { passed, health };
  }

  it('lets ten caller-made fetches out at once and one more each six seconds', () => {
    const first = drain(0, unknownHealth(0, settings), 50);
    const afterFiveSeconds = drain(5999, first.health, 50);
    const afterSixSeconds = drain(6000, afterFiveSeconds.health, 50);

    expect([first.passed, afterFiveSeconds.passed, afterSixSeconds.passed]).toEqual([10, 0, 1]);
  });

  it('never collects more than the burst', () => {
    const drained = drain(0, unknownHealth(0, settings), 10);

    expect(drain(86_400_000, drained.health, 50).passed).toBe(10);
  });

  it('does not touch fetches of absent or stale records', () => {
    const drained = drain(0, unknownHealth(0, settings), 10);

    expect(admitFetch(drained.health, false, { nowTs: 0, settings }).verdict).toBe('go');
  });

  it('does not lock a server out when the clock is set back', () => {
    const drained = drain(1_000_000, unknownHealth(1_000_000, settings), 10);

    expect(admitFetch(drained.health, true, { nowTs: 0, settings }).verdict).toBe('go');
  });

  it('counts no time twice when the clocks of two instances are seconds apart', () => {
    let { health } = drain(1_000_000, unknownHealth(1_000_000, settings), 10);
    let passed = 0;
    for (let turn = 0; turn < 20; turn += 1) {
      const nowTs = 1_000_000 + 300 * turn - (turn % 2) * 7000;
      const admitted = admitFetch(health, true, { nowTs, settings });
      health = admitted.health;
      if (admitted.verdict === 'go') passed += 1;
    }

    expect(passed).toBe(0);
  });
});
