import { describe, expect, it } from 'vitest';

import { JoinedAskers } from '../../../../src/core/base/places/asker.js';
import { BodyBudget } from '../../../../src/core/preview/pipeline/body-budget.js';

const budgetOf = (maxBytes: number) => {
  const told = { bound: 0, room: 0 };
  const listener = { onBound: () => void (told.bound += 1), onRoom: () => void (told.room += 1) };
  return { budget: new BodyBudget(maxBytes, listener), told };
};
const asker = (key: string) => ({ key, question: '' });

describe('the budget of bodies', () => {
  it('stops who holds too much, and nobody else up to the double', () => {
    const { budget } = budgetOf(100);
    budget.hold(asker('alice'), Buffer.alloc(150));
    expect([budget.hasRoom('alice'), budget.hasRoom('bob')]).toEqual([false, true]);
    budget.hold(asker('bob'), Buffer.alloc(60));
    expect(budget.hasRoom('carol')).toBe(false);
  });

  it('counts what somebody else had room for as his', () => {
    const { budget } = budgetOf(100);
    budget.hold(asker('alice'), Buffer.alloc(101));
    const joined = new JoinedAskers(asker('alice'));
    joined.join(asker('bob'));
    budget.hold(joined, Buffer.alloc(10));
    expect([budget.hasRoom('bob'), budget.hasRoom('carol')]).toEqual([false, true]);
  });

  it('counts a body once, for the first of those who hold it, until the last has let it go', () => {
    const { budget, told } = budgetOf(100);
    const body = Buffer.alloc(80);
    const [first, second] = ['alice', 'bob'].map((key) => budget.hold(asker(key), body));
    expect([budget.heldBytes, told.bound]).toEqual([80, 0]);
    first?.();
    first?.();
    expect(budget.heldBytes).toBe(80);
    second?.();
    expect(budget.heldBytes).toBe(0);
    budget.hold(asker('carol'), body);
    expect(budget.heldBytes).toBe(80);
  });

  it('tells when it is used up, and when there may be room again, once a body', () => {
    const { budget, told } = budgetOf(100);
    const releases = [150, 60].map((bytes) => budget.hold(asker('alice'), Buffer.alloc(bytes)));
    expect(told).toEqual({ bound: 1, room: 0 });
    for (const release of [...releases, ...releases]) release();
    expect(told).toEqual({ bound: 1, room: 2 });
    expect(budget.heldBytes).toBe(0);
  });
});
