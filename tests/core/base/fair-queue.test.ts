import { describe, expect, it } from 'vitest';

import { FairQueue, type FairQueueOptions, type QueueTicket } from '../../../src/core/base/fair-queue.js';

/** The same numbers in [0, 1) for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Held {
  client: string;
  group: string;
  ticket: QueueTicket;
}

/** A queue, and what became of each ticket. */
function watched(options: FairQueueOptions) {
  const queue = new FairQueue(options);
  const held: Held[] = [];
  return {
    queue,
    held,
    enter: (client: string, group = '') => {
      const ticket = queue.enter({ client, group });
      held.push({ client, group, ticket });
      return ticket;
    },
    running: () => held.filter(({ ticket }) => ticket.isRunning()),
    runningOf: (client: string) =>
      held.filter((each) => each.client === client && each.ticket.isRunning()).length,
  };
}

const tick = () => new Promise((resolve) => setImmediate(resolve));

describe('the fair queue', () => {
  it.each([1, 2, 3, 4, 5])('never exceeds a limit and leaks nothing, run %i', async (seed) => {
    const random = randomOf(seed);
    const any = (count: number) => Math.floor(random() * count);
    const limits = {
      maxRunning: 8,
      maxRunningPerGroup: 3,
      maxWaiting: 20,
    };
    const { queue, held, enter, running } = watched(limits);
    for (let step = 0; step < 3000; step += 1) {
      const action = random();
      if (action < 0.5) enter(`c${any(6)}`, `g${any(4)}`);
      else if (action < 0.6) held[any(held.length)]?.ticket.join(`c${any(6)}`);
      else if (held.length > 0) held.splice(any(held.length), 1)[0]?.ticket.leave();
      const now = running();
      expect(now.length).toBe(queue.load.running);
      expect(now.length).toBeLessThanOrEqual(limits.maxRunning);
      expect(queue.load.waiting).toBeLessThanOrEqual(limits.maxWaiting);
      for (const group of ['g0', 'g1', 'g2', 'g3'])
        expect(now.filter((each) => each.group === group).length).toBeLessThanOrEqual(3);
    }
    for (const { ticket } of held) ticket.leave();
    await tick();
    expect(queue.load).toEqual({ running: 0, waiting: 0 });
    expect(queue.waitingOf('c0')).toBe(0);
  });

  it('shares slots equally under contention, whatever each client asks for', async () => {
    const { held, enter, runningOf } = watched({ maxRunning: 12, maxWaiting: 1000 });
    for (const [client, count] of [
      ['greedy', 300],
      ['b', 40],
      ['c', 20],
    ] as const)
      for (let at = 0; at < count; at += 1) enter(client);
    // All that ran first leave, and shares have settled.
    for (let at = 0; at < 12; at += 1) held[at]?.ticket.leave();
    await tick();
    expect([runningOf('greedy'), runningOf('b'), runningOf('c')]).toEqual([2, 2, 2]);
  });

  it('keeps reserved slots for clients that hold few', () => {
    const { enter, runningOf } = watched({ maxRunning: 16, maxWaiting: 100 });
    for (let at = 0; at < 50; at += 1) enter('greedy');
    for (let at = 0; at < 50; at += 1) enter('other');
    expect(runningOf('greedy')).toBe(8);
    expect(runningOf('other')).toBe(2);
  });

  it('drops the newest of the client with the most when it is full', async () => {
    const { queue, held, enter } = watched({ maxRunning: 1, maxWaiting: 10 });
    enter('running');
    for (let at = 0; at < 8; at += 1) enter('greedy');
    for (let at = 0; at < 2; at += 1) enter('modest');
    const third = enter('modest');
    expect(await held[8]?.ticket.admitted).toBe(false);
    expect([queue.waitingOf('greedy'), queue.waitingOf('modest')]).toEqual([7, 3]);
    third.leave();
    expect(await third.admitted).toBe(false);
  });

  it('does not let a full destination hold up others', () => {
    const { held, enter } = watched({ maxRunning: 20, maxRunningPerGroup: 3, maxWaiting: 100 });
    for (let at = 0; at < 5; at += 1) enter('a', 'busy');
    expect(enter('a', 'idle').isRunning()).toBe(true);
    held[0]?.ticket.leave();
    expect(held[2]?.ticket.isRunning()).toBe(true);
  });

  it('keeps one slot of a destination for clients that hold none there', () => {
    const limits = { maxRunning: 20, maxRunningPerGroup: 3, maxWaiting: 100 };
    const { enter, runningOf } = watched(limits);
    for (let at = 0; at < 5; at += 1) enter('a', 'busy');
    enter('b', 'busy');
    enter('c', 'busy');
    expect(['a', 'b', 'c'].map(runningOf)).toEqual([2, 1, 0]);
  });

  it('runs work, gives the slot back when it throws, and gives up with its signal', async () => {
    const queue = new FairQueue({ maxRunning: 1, maxWaiting: 5 });
    const failing = queue.run({ client: 'a' }, () => Promise.reject(new Error('broken')));
    await expect(failing).rejects.toThrow('broken');
    const blocker = queue.enter({ client: 'a' });
    const controller = new AbortController();
    const waiting = queue.run({ client: 'b' }, () => Promise.resolve(1), controller.signal);
    controller.abort(new Error('given up'));
    await expect(waiting).rejects.toThrow('given up');
    blocker.leave();
    expect(await queue.run({ client: 'b' }, () => Promise.resolve(2))).toBe(2);
    expect(queue.load).toEqual({ running: 0, waiting: 0 });
  });
});
