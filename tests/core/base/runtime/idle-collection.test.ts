import { describe, expect, it } from 'vitest';

import { IdleCollection, type HeapSize } from '../../../../src/core/base/runtime/idle-collection.js';

const MIB = 1024 * 1024;

describe('a process that has nothing to do', () => {
  it('collects what has grown, once, after six looks without work in a row', () => {
    const seen = watched({ total: 40 * MIB, used: 30 * MIB });
    expect(seen.afterLooks(5, 0.01)).toBe(0);
    expect(seen.afterLooks(1, 0.5)).toBe(0);
    expect(seen.afterLooks(5, 0.01)).toBe(0);
    expect(seen.afterLooks(1, 0.01)).toBe(1);
    expect(seen.afterLooks(9, 0.01)).toBe(1);
    seen.size.total += 7 * MIB;
    expect(seen.afterLooks(1, 0.01)).toBe(1);
    seen.size.total += 2 * MIB;
    expect(seen.afterLooks(1, 0.01)).toBe(2);
  });

  it('collects a second time, six looks later, when the first gave nothing back, and no third time', () => {
    const seen = watched({ total: 40 * MIB, used: 30 * MIB }, 0);
    expect(seen.afterLooks(6, 0)).toBe(1);
    expect(seen.afterLooks(5, 0)).toBe(1);
    expect(seen.afterLooks(1, 0)).toBe(2);
    expect(seen.afterLooks(20, 0)).toBe(2);
    seen.size.total += 9 * MIB;
    expect(seen.afterLooks(12, 0)).toBe(4);
  });

  it('counts growth from the least there was', () => {
    const seen = watched({ total: 40 * MIB, used: 30 * MIB });
    seen.afterLooks(6, 0);
    seen.size.total = 30 * MIB;
    seen.afterLooks(1, 0);
    seen.size.total = 39 * MIB;
    expect(seen.afterLooks(1, 0)).toBe(2);
  });

  it('leaves a large heap to the engine', () => {
    expect(watched({ total: 400 * MIB, used: 300 * MIB }).afterLooks(9, 0)).toBe(0);
  });

  it('asks the engine to', async () => {
    const dropped = drop();
    // The heap of this process holds what other tests left, too.
    const heapSize = () => ({ total: 40 * MIB, used: 30 * MIB });
    // An object that was looked at stays until the turn ends, and so does one made while the engine was marking.
    await expect
      .poll(() => {
        const watching = new IdleCollection({ busyShare: () => 0, heapSize });
        for (let look = 0; look < 6; look += 1) watching.look();
        return dropped.deref() === undefined;
      })
      .toBe(true);
  });
});

function watched(size: HeapSize, freedBytes = 10 * MIB) {
  let [collections, share] = [0, 0];
  const collect = (): void => {
    collections += 1;
    size.total -= freedBytes;
  };
  const watching = new IdleCollection({ heapSize: () => ({ ...size }), busyShare: () => share, collect });
  const afterLooks = (looks: number, busyShare: number): number => {
    share = busyShare;
    for (let look = 0; look < looks; look += 1) watching.look();
    return collections;
  };
  return { size, afterLooks };
}

/** In a function of its own, so that nothing else refers to it. */
function drop(): WeakRef<object> {
  return new WeakRef({});
}
