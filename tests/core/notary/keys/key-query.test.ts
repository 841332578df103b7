import { describe, expect, it } from 'vitest';

import { isMiss, isPastHalfLife } from '../../../../src/core/notary/keys/answer-query.js';

const HOUR = 3_600_000;

describe('isMiss (SPEC §4.4.2 to §4.4.4)', () => {
  const record = { addedTs: 0, validUntilTs: 10 * HOUR };

  it('misses an absent record whatever the criterion', () => {
    expect(isMiss(null, null, 0)).toBe(true);
    expect(isMiss(null, 0, 0)).toBe(true);
  });

  it.each([
    [10 * HOUR, false],
    [10 * HOUR + 1, true],
    [0, false],
    [-1, false],
    [2n ** 70n, true],
  ])('with a minimum of %s misses: %s', (minimum, expected) => {
    expect(isMiss(record, minimum, 9 * HOUR)).toBe(expected);
  });

  it('ignores half-life when a minimum is given', () => {
    expect(isMiss(record, 1, 100 * HOUR)).toBe(false);
  });

  it.each([
    [5 * HOUR - 60_000, false],
    [5 * HOUR, false],
    [5 * HOUR + 1, true],
  ])('without a minimum at %s ms of ten hours misses: %s', (nowTs, expected) => {
    expect(isMiss(record, null, nowTs)).toBe(expected);
  });

  it('counts half milliseconds', () => {
    expect(isPastHalfLife({ addedTs: 0, validUntilTs: 3 }, 1)).toBe(false);
    expect(isPastHalfLife({ addedTs: 0, validUntilTs: 3 }, 2)).toBe(true);
  });

  it('judges validities beyond 2^53 exactly', () => {
    const validUntilTs = 2n ** 60n + 1n;

    expect(isMiss({ addedTs: 0, validUntilTs }, validUntilTs, 0)).toBe(false);
    expect(isMiss({ addedTs: 0, validUntilTs }, validUntilTs + 1n, 0)).toBe(true);
    expect(isMiss({ addedTs: 0, validUntilTs }, null, HOUR)).toBe(false);
  });
});
