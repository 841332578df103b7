import { describe, expect, it } from 'vitest';

import { JoinedAskers } from '../../../../src/core/base/places/asker.js';
import { BodyBudget } from '../../../../src/core/preview/pipeline/body-budget.js';

const isOpen = async (budget: BodyBudget, asker: string): Promise<boolean> => {
  const giveUp = new AbortController();
  const room = budget.room({ key: asker, question: '' }, giveUp.signal).then(
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

  it('lets that go on which somebody else comes to wait for', async () => {
    const budget = new BodyBudget(100);
    budget.hold('alice', 150);
    const asker = new JoinedAskers({ key: 'alice', question: '' });
    const waiting = budget.room(asker, new AbortController().signal);
    asker.join({ key: 'bob', question: '' });
    await expect(waiting).resolves.toBe('bob');
  });

  it('counts what somebody else had room for as his', async () => {
    const budget = new BodyBudget(100);
    budget.hold('alice', 101);
    const asker = new JoinedAskers({ key: 'alice', question: '' });
    asker.join({ key: 'bob', question: '' });
    const whose = await budget.room(asker, new AbortController().signal);
    budget.hold(whose, 10);
    expect([await isOpen(budget, 'bob'), await isOpen(budget, 'carol')]).toEqual([false, true]);
  });

  it('lets those go on who waited when bodies are gone', async () => {
    const budget = new BodyBudget(100);
    const release = budget.hold('alice', 150);
    const waiting = budget.room({ key: 'alice', question: '' }, new AbortController().signal);
    release();
    release();
    await waiting;
    expect(budget.heldBytes).toBe(0);
  });
});
