import { describe, expect, it } from 'vitest';

import { BodyBudget } from '../../../../src/core/preview/pipeline/preview-bounds.js';

const budgetOf = (maxBytes: number) => {
  const told = { bound: 0, room: 0 };
  const listener = { onBound: () => void (told.bound += 1), onRoom: () => void (told.room += 1) };
  return { budget: new BodyBudget(maxBytes, listener), told };
};

describe('the budget of bodies', () => {
  it('stops who holds too much, and nobody else up to the double', () => {
    const { budget } = budgetOf(100);
    budget.hold('alice', 150);
    expect([budget.hasRoom('alice'), budget.hasRoom('bob')]).toEqual([false, true]);
    budget.hold('bob', 60);
    expect(budget.hasRoom('carol')).toBe(false);
  });

  it('tells when it is used up, and when there may be room again, once a body', () => {
    const { budget, told } = budgetOf(100);
    const releases = [150, 60].map((bytes) => budget.hold('alice', bytes));
    expect(told).toEqual({ bound: 1, room: 0 });
    for (const release of [...releases, ...releases]) release();
    expect(told).toEqual({ bound: 1, room: 2 });
    expect(budget.heldBytes).toBe(0);
  });
});
