import { describe, expect, it } from 'vitest';
import { FifoLock } from '../../../src/core/store/sqlite/fifo-lock.js';

describe('FifoLock', () => {
  it('lets one in at a time, in order of arrival', async () => {
    const lock = new FifoLock();
    const events: string[] = [];
    const work = (name: string) =>
      lock.run(async () => {
        events.push(`${name} in`);
        await new Promise((resolve) => setImmediate(resolve));
        events.push(`${name} out`);
      });
    await Promise.all([work('a'), work('b'), work('c')]);
    expect(events).toEqual(['a in', 'a out', 'b in', 'b out', 'c in', 'c out']);
  });

  it('lets the next one in after a failure', async () => {
    const lock = new FifoLock();
    await expect(lock.run(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(await lock.run(async () => 'next')).toBe('next');
  });

  it('ignores a second release', async () => {
    const lock = new FifoLock();
    const release = await lock.acquire();
    release();
    const releaseSecond = await lock.acquire();
    release();
    let isThirdIn = false;
    const third = lock.run(async () => {
      isThirdIn = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isThirdIn).toBe(false);
    releaseSecond();
    await third;
    expect(isThirdIn).toBe(true);
  });
});
