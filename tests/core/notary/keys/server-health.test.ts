import { describe, expect, it } from 'vitest';

import {
  afterFailure,
  afterSuccess,
  isBackingOff,
  unknownHealth,
  type ServerHealth,
} from '../../../../src/core/notary/keys/fetch-store.js';

const settings = { afterFailures: 3, initialMs: 5000, maximumMs: 600_000 };

function fail(times: number, reason = 'timeout'): ServerHealth {
  let failed = unknownHealth(0);
  for (let count = 0; count < times; count += 1)
    failed = afterFailure(failed, { startedTs: 0, endedTs: 1000, reason, message: 'm' }, settings);
  return failed;
}

describe('back-off', () => {
  it.each([
    [1, 0],
    [2, 0],
    [3, 5000],
    [4, 10_000],
    [9, 320_000],
    [10, 600_000],
    [1000, 600_000],
  ])('after %i failures in a row waits %i ms', (failures, waitMs) => {
    const health = fail(failures);

    expect(isBackingOff(health, 1000, settings)).toBe(waitMs > 0);
    expect(isBackingOff(health, 1000 + waitMs, settings)).toBe(false);
    expect(health.nextTryTs).toBe(waitMs === 0 ? 0 : 1000 + waitMs);
  });

  it('is a minute at most while names are not resolved, which may be our doing', () => {
    const waits = [2, 3, 6, 7, 1000].map((failures) => fail(failures, 'dns_failure').nextTryTs);

    expect(waits).toEqual([0, 6000, 41_000, 61_000, 61_000]);
  });

  it('is over after one success', () => {
    expect(afterSuccess(fail(7), 5000)).toMatchObject({
      failCount: 0,
      nextTryTs: 0,
      lastErrorReason: null,
      lastOkTs: 5000,
    });
  });
});
