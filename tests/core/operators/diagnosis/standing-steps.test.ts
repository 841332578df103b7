import { describe, expect, it } from 'vitest';

import { waitingStep } from '../../../../src/core/operators/diagnosis/standing-steps.js';
import { unknownHealth } from '../../../../src/core/notary/keys/fetch-throttle.js';

const THROTTLE = {
  burst: 10,
  intervalMs: 1,
  backoffAfterFailures: 3,
  backoffInitialMs: 1,
  backoffMaximumMs: 1,
};
const NOW_TS = 1_800_000_000_000;

describe('what holds queries back', () => {
  const sentence = (failCount: number, nextTryTs = 0) =>
    waitingStep({ health: { ...health, failCount, nextTryTs }, others: below(7) }, NOW_TS).sentence;
  const below = (attempts: number) => ({ domain: 'flood.example', attempts });
  const health = { ...unknownHealth(NOW_TS, THROTTLE), lastFetchTs: NOW_TS - 1 };

  it('is told of a server without rows of its own as of what was counted below its domain', () => {
    const told = (attempts: number) =>
      waitingStep({ health: null, others: below(attempts) }, NOW_TS).sentence;
    expect(told(0)).toBe('The server has not been asked before.');
    expect(told(1)).toContain('; 1 failure of servers below flood.example');
    expect(told(5213)).toContain('; 5213 failures of servers below flood.example');
  });

  it('is told of one failure as of one, of several as of a row', () => {
    expect(sentence(0)).toMatch(/^The last fetch went well; nothing/);
    expect(sentence(1)).toMatch(/^The last fetch failed; nothing/);
    expect(sentence(2)).toMatch(/^There were 2 failures in a row; nothing/);
    expect(sentence(1, NOW_TS + 1)).toMatch(/^After 1 failure, queries wait until/);
    expect(sentence(3, NOW_TS + 1)).toMatch(/^After 3 failures in a row, queries wait until/);
  });
});
