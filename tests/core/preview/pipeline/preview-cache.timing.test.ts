import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { describe, expect, it } from 'vitest';

import { PreviewCache, type MadePreview } from '../../../../src/core/preview/pipeline/preview-cache.js';
import { ManualClock } from '../../../support/manual-clock.js';

const HOUR = 3_600_000;
const of = (url: string) => ({ url, userId: '@alice:notary.test' });

function cacheWith(bounds: { maxBytes?: number; failureLifetimeMs?: number } = {}) {
  const clock = new ManualClock();
  const cache = new PreviewCache({
    clock,
    maxBytes: bounds.maxBytes ?? 1_000_000,
    failureLifetimeMs: () => bounds.failureLifetimeMs ?? HOUR,
  });
  let computed = 0;
  const make = (text: string) => () => {
    computed += 1;
    return Promise.resolve({ body: Buffer.from(text) });
  };
  return { clock, cache, make, computations: () => computed };
}

/** All that is alive; weak references and buffers go in several rounds, with turns of the loop in between. */
async function heldBytes(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let round = 0; round < 4; round += 1) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

describe('PreviewCache (SPEC §4.7.2)', () => {
  it('drops failures that say nothing about the address at once', async () => {
    const { cache, make } = cacheWith({ failureLifetimeMs: 0 });
    await cache.get(of('u'), () => Promise.reject(new Error('busy')));

    const second = await cache.get(of('u'), make('x'));

    expect(second).toEqual({ body: Buffer.from('x') });
  });

  it('forgets the finished entries used last beyond its bounds, never running ones', async () => {
    const { cache, make } = cacheWith({ maxBytes: 3 * 703 });
    let finish: (made: MadePreview) => void = () => undefined;
    const running = cache.get(of('running'), () => new Promise((resolve) => (finish = resolve)));

    for (const url of ['a', 'b', 'c']) await cache.get(of(url), make(url));
    cache.peek('a');
    for (const url of ['d', 'e']) await cache.get(of(url), make(url));

    expect(cache.size().entries).toBe(4);
    expect(['a', 'b', 'c', 'd', 'e'].map((url) => cache.peek(url) !== null)).toEqual([
      true,
      false,
      false,
      true,
      true,
    ]);
    expect(cache.list().map((entry) => entry.url)).toContain('running');
    finish({ body: Buffer.from('late') });
    expect(await running).toEqual({ body: Buffer.from('late') });
  });

  it('counts no fewer bytes than it keeps alive, whatever its addresses were cut from', async () => {
    const { cache } = cacheWith({ maxBytes: 1e9 });
    const before = await heldBytes();
    for (let number = 0; number < 3000; number += 1) {
      const target = `/preview_url?url=http://site.test/${number}&rest=${'x'.repeat(8000)}`;
      const [, address = ''] = /url=([^&]+)/.exec(Buffer.from(target).toString()) ?? [];
      await cache.get(of(address), async () => ({ body: Buffer.from(`{"og:title":"${number}"}`) }));
      Buffer.from('what else is allocated in between'.repeat(50));
    }

    expect((await heldBytes()) - before).toBeLessThan(cache.size().bytes);
    expect(cache.size().entries).toBe(3000);
  });
});
