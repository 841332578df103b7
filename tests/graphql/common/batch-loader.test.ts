import { describe, expect, it } from 'vitest';

import { BatchLoaders, type BatchLookup, type GraphqlContext } from '../../../src/graphql/context.js';

const context = { requestId: 'r1' } as GraphqlContext;

function recording(): { calls: (readonly number[])[]; double: BatchLookup<number, number> } {
  const calls: (readonly number[])[] = [];
  const double: BatchLookup<number, number> = async (keys) => {
    calls.push(keys);
    return keys.map((key) => (key < 0 ? null : 2 * key));
  };
  return { calls, double };
}

describe('batch loaders', () => {
  it('look up the keys of one turn together, each once, and keep what they found', async () => {
    const { calls, double } = recording();
    const loaders = new BatchLoaders(() => context);
    const found = await Promise.all([1, 2, 1, -1].map((key) => loaders.of(double).load(key)));

    expect(found).toEqual([2, 4, 2, null]);
    expect(await loaders.of(double).load(2)).toBe(4);
    expect(calls).toEqual([[1, 2, -1]]);
  });

  it('wait for keys that other look-ups lead to', async () => {
    const { calls, double } = recording();
    const loader = new BatchLoaders(() => context).of(double);
    const later = async (key: number): Promise<number | null> => {
      await Promise.resolve();
      await Promise.resolve();
      return loader.load(key);
    };
    await Promise.all([loader.load(1), later(2), later(3)]);

    expect(calls).toEqual([[1, 2, 3]]);
  });

  it('hand out at most 200 keys at a time', async () => {
    const { calls, double } = recording();
    const loader = new BatchLoaders(() => context).of(double);
    await Promise.all(Array.from({ length: 450 }, (_, key) => loader.load(key)));

    expect(calls.map((keys) => keys.length)).toEqual([200, 200, 50]);
  });

  it('fail for all keys of a look-up that fails, and for no others', async () => {
    const loaders = new BatchLoaders(() => context);
    const failing: BatchLookup<number, number> = async () => {
      throw new Error('store gone');
    };
    const results = await Promise.allSettled([
      loaders.of(failing).load(1),
      loaders.of(failing).load(2),
      loaders.of(recording().double).load(3),
    ]);

    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  });
});
