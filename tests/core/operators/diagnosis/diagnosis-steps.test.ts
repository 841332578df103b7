import { describe, expect, it } from 'vitest';

import { waitingStep } from '../../../../src/core/operators/diagnosis/diagnosis-steps.js';
import { unknownHealth } from '../../../../src/core/notary/keys/fetch-store.js';

const NOW_TS = 1_800_000_000_000;

describe('what holds queries back', () => {
  const sentence = (failCount: number, nextTryTs = 0) =>
    waitingStep({ ...health, failCount, nextTryTs }, NOW_TS).sentence;
  const health = { ...unknownHealth(NOW_TS), lastFetchTs: NOW_TS - 1 };

  it('is told of one failure as of one, of several as of a row', () => {
    expect(sentence(0)).toMatch(/^The last fetch succeeded; the next query/);
    expect(sentence(1)).toMatch(/^The last fetch failed; the next query/);
    expect(sentence(2)).toMatch(/^There were 2 failures in a row; the next query/);
    expect(sentence(1, NOW_TS + 1)).toMatch(/^After 1 failure, queries fetch again from/);
    expect(sentence(3, NOW_TS + 1)).toMatch(/^After 3 failures in a row, queries fetch again from/);
  });
});
