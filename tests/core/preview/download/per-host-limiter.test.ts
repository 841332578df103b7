import { describe, expect, it } from 'vitest';

import { PerHostLimiter } from '../../../../src/core/preview/download/per-host-limiter.js';

const NEVER = new AbortController().signal;

/** Enters and notes it; the place is given back by the function under the name. */
function visitor(limiter: PerHostLimiter) {
  const inside: string[] = [];
  const leave = new Map<string, () => void>();
  const enter = async (name: string, host: string, signal: AbortSignal = NEVER): Promise<void> => {
    leave.set(name, await limiter.enter({ asker: undefined, group: host }, signal));
    inside.push(name);
  };
  return { inside, leave, enter };
}

/** Lets promises that are settled run their reactions. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('the per-host limiter', () => {
  it('let two per host run, and others past them', async () => {
    const limiter = new PerHostLimiter({
      maxConcurrent: 10,
      reserved: 0,
      maxConcurrentPerHost: 2,
      maxQueued: 10,
    });
    const { inside, leave, enter } = visitor(limiter);

    for (const name of ['a1', 'a2', 'a3', 'b1']) void enter(name, name.slice(0, 1));
    await settle();
    expect(inside).toEqual(['a1', 'a2', 'b1']);
    leave.get('a2')?.();
    await settle();

    expect(inside).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  it('let hosts take turns under the global limit', async () => {
    const limiter = new PerHostLimiter({
      maxConcurrent: 1,
      reserved: 0,
      maxConcurrentPerHost: 1,
      maxQueued: 20,
    });
    const { inside, leave, enter } = visitor(limiter);

    const names = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'];
    for (const name of names) void enter(name, name.slice(0, 1));
    await settle();
    for (let left = 0; left < names.length; left += 1) {
      leave.get(inside[left] ?? '')?.();
      await settle();
    }

    expect(inside).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
    expect(limiter.load).toEqual({ running: 0, waiting: 0 });
  });

  it('refuse with 503 and Retry-After what finds the queue full', async () => {
    const limiter = new PerHostLimiter({
      maxConcurrent: 1,
      reserved: 0,
      maxConcurrentPerHost: 1,
      maxQueued: 4,
    });
    const { enter } = visitor(limiter);
    await enter('a', 'a');
    for (const host of ['b', 'c', 'd', 'e']) void enter(host, host);

    await expect(limiter.enter({ asker: undefined, group: 'f' }, NEVER)).rejects.toMatchObject({
      status: 503,
      errcode: 'M_UNKNOWN',
      retryAfterSeconds: 5,
      reason: 'busy',
    });
  });

  it('give one host at most half of the queue', async () => {
    const limiter = new PerHostLimiter({
      maxConcurrent: 1,
      reserved: 0,
      maxConcurrentPerHost: 1,
      maxQueued: 4,
    });
    const { enter } = visitor(limiter);
    for (const name of ['a1', 'a2', 'a3']) void enter(name, 'a');
    await settle();

    await expect(limiter.enter({ asker: undefined, group: 'a' }, NEVER)).rejects.toMatchObject({
      status: 503,
    });
    void enter('b1', 'b');
    await settle();
    expect(limiter.load).toEqual({ running: 1, waiting: 3 });
  });

  it('forget who stops waiting', async () => {
    const limiter = new PerHostLimiter({
      maxConcurrent: 1,
      reserved: 0,
      maxConcurrentPerHost: 1,
      maxQueued: 4,
    });
    const { inside, leave, enter } = visitor(limiter);
    const caller = new AbortController();
    await enter('a1', 'a');
    const impatient = enter('a2', 'a', caller.signal);
    void enter('a3', 'a');
    caller.abort();

    await expect(impatient).rejects.toMatchObject({ status: 503 });
    leave.get('a1')?.();
    await settle();
    expect(inside).toEqual(['a1', 'a3']);
  });

  it('take a place back once only', async () => {
    const limiter = new PerHostLimiter({
      maxConcurrent: 2,
      reserved: 0,
      maxConcurrentPerHost: 2,
      maxQueued: 4,
    });
    const leave = await limiter.enter({ asker: undefined, group: 'a' }, NEVER);
    await limiter.enter({ asker: undefined, group: 'a' }, NEVER);

    leave();
    leave();

    expect(limiter.load).toEqual({ running: 1, waiting: 0 });
  });
});
