import { describe, expect, it } from 'vitest';

import { BodyBudget } from '../../../../src/core/preview/pipeline/body-budget.js';

const isOpen = async (budget: BodyBudget, asker: string): Promise<boolean> => {
  const giveUp = new AbortController();
  const room = budget.room(asker, giveUp.signal).then(
    () => true,
    () => false,
  );
  await new Promise<void>((resolve) => setImmediate(resolve));
  giveUp.abort();
  return room;
};

describe('the budget of bodies', () => {
  it('stops who holds too much, and nobody else up to the double', async () => {
    const budget = new BodyBudget(100);
    budget.hold('alice', 150);
    expect(await isOpen(budget, 'alice')).toBe(false);
    expect(await isOpen(budget, 'bob')).toBe(true);
    budget.hold('bob', 60);
    expect(await isOpen(budget, 'carol')).toBe(false);
  });

  it('lets those go on who waited when bodies are gone', async () => {
    const budget = new BodyBudget(100);
    const release = budget.hold('alice', 150);
    const waiting = budget.room('alice', new AbortController().signal);
    release();
    release();
    await waiting;
    expect(budget.heldBytes).toBe(0);
  });
});
