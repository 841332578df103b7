import { describe, expect, it } from 'vitest';

import { orderSrvRecords } from '../../../../src/core/notary/federation/discovery.js';

const record = (target: string, priority: number, weight: number) => ({ target, port: 1, priority, weight });
const targets = (records: { target: string }[]) => records.map(({ target }) => target);

/** Numbers in [0, 1) that repeat from run to run. */
function seededRandom(): () => number {
  let state = 12_345;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

describe('orderSrvRecords', () => {
  it('puts lower priorities first, as numbers', () => {
    const records = [record('c', 100, 1), record('a', 5, 0), record('b', 20, 65_535)];
    expect(targets(orderSrvRecords(records, () => 0.5))).toEqual(['a', 'b', 'c']);
  });

  it('draws the first record in proportion to the weights', () => {
    const random = seededRandom();
    const records = [record('heavy', 1, 30), record('light', 1, 10)];
    const rounds = 4000;
    let heavyFirst = 0;
    for (let round = 0; round < rounds; round += 1) {
      if (orderSrvRecords(records, random)[0]?.target === 'heavy') heavyFirst += 1;
    }
    expect(heavyFirst / rounds).toBeGreaterThan(0.7);
    expect(heavyFirst / rounds).toBeLessThan(0.8);
  });

  it('keeps every record once, up to 16, and leaves its argument alone', () => {
    const records = Array.from({ length: 10 }, (_unused, index) => record(`t${index}`, index % 2, index % 3));
    const before = structuredClone(records);
    expect(targets(orderSrvRecords(records, seededRandom())).toSorted()).toEqual(targets(records).toSorted());
    expect(records).toEqual(before);
    const many = Array.from({ length: 5000 }, (_unused, index) => record(`t${index}`, 1, index % 2));
    expect(orderSrvRecords(many, seededRandom())).toHaveLength(16);
  });
});
