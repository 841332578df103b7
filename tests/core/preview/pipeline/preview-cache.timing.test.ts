import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { describe, expect, it } from 'vitest';

import { ApiError } from '../../../../src/core/base/errors/api-error.js';
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

async function cpuUsOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** A download whose connection and request are at hand where it fails, and where the cause of that arose. */
async function failing(): Promise<MadePreview> {
  const request = {
    body: Buffer.alloc(20_000),
    end: (): Error => new Error(`reset: ${request.body.length}`),
  };
  await Promise.resolve();
  throw failedDependency(request.end());
}

function failedDependency(cause: Error): ApiError {
  return new ApiError(502, 'The site did not answer', { cause });
}

describe('PreviewCache (SPEC §4.7.2)', () => {
  it('computes once for any number of simultaneous clients', async () => {
    const { cache, make, computations } = cacheWith();

    const outcomes = await Promise.all(Array.from({ length: 50 }, () => cache.get(of('u'), make('x'))));

    expect(computations()).toBe(1);
    expect(new Set(outcomes).size).toBe(1);
  });

  it('keeps an entry for exactly one hour', async () => {
    const { cache, clock, make, computations } = cacheWith();
    await cache.get(of('u'), make('x'));

    clock.advance(HOUR - 1);
    await cache.get(of('u'), make('x'));
    const before = computations();
    clock.advance(1);
    await cache.get(of('u'), make('x'));

    expect([before, computations()]).toEqual([1, 2]);
  });

  it('keeps failures too and serves the same error again', async () => {
    const { cache, make, computations } = cacheWith();
    const failure = new Error('no');

    const first = await cache.get(of('u'), () => Promise.reject(failure));
    const second = await cache.get(of('u'), make('x'));

    expect(first).toEqual({ error: failure });
    expect(second).toBe(first);
    expect(computations()).toBe(0);
  });

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

  it('keeps the newest entry when it fits alone, however little room that leaves', async () => {
    const { cache, make } = cacheWith({ maxBytes: 10_000 });

    await cache.get(of('small'), make('x'));
    await cache.get(of('large'), make('x'.repeat(9200)));
    expect(cache.list().map(({ url }) => url)).toEqual(['large']);

    await cache.get(of('too large'), make('x'.repeat(10_000)));
    expect(cache.list().map(({ url }) => url)).toEqual(['large']);
  });

  it('tells operators of each entry: its hits, and what it failed with', async () => {
    const { cache, make } = cacheWith();
    await cache.get(of('good'), make('x'));
    cache.peek('good');
    await cache.get(of('good'), make('x'));
    await cache.get(of('bad'), () => Promise.reject(new Error('no')));

    const [bad, good] = cache.list();
    expect(good).toMatchObject({ url: 'good', state: 'finished', hits: 2 });
    expect(bad).toMatchObject({ url: 'bad', state: 'failed', hits: 0, outcome: { error: new Error('no') } });
    expect(cache.look('good')).toEqual(good);
    expect(new Set([bad!.id, good!.id]).size).toBe(2);
  });

  it('says at any time how many are computed and failed, and which failed last', async () => {
    const { cache, clock, make } = cacheWith();
    const fails = () => Promise.reject(new Error('no'));
    const state = () => {
      const failures = cache.failures();
      const { entries, running, failed } = cache.size();
      return { entries, running, failed, latest: failures.slice(0, 2).map(({ url }) => url) };
    };
    let finish: (made: MadePreview) => void = () => undefined;
    const slow = cache.get(of('slow'), () => new Promise((resolve) => (finish = resolve)));
    await cache.get(of('bad 1'), fails);
    clock.advance(1000);
    await Promise.all([
      cache.get(of('bad 2'), fails),
      cache.get(of('good'), make('x')),
      cache.get(of('bad 3'), fails),
    ]);
    expect(state()).toEqual({ entries: 5, running: 1, failed: 3, latest: ['bad 3', 'bad 2'] });

    cache.forget('bad 3');
    expect(state()).toEqual({ entries: 4, running: 1, failed: 2, latest: ['bad 2', 'bad 1'] });
    clock.advance(HOUR - 1000);
    expect(state()).toEqual({ entries: 3, running: 1, failed: 1, latest: ['bad 2'] });
    cache.forget('slow');
    finish({ body: Buffer.from('late') });
    await slow;
    expect(state()).toEqual({ entries: 2, running: 0, failed: 1, latest: ['bad 2'] });
    cache.clear();
    expect(state()).toEqual({ entries: 0, running: 0, failed: 0, latest: [] });
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

  it('counts no fewer bytes than it keeps alive, whatever was under way where its errors arose', async () => {
    const { cache } = cacheWith({ maxBytes: 1e9 });
    const before = await heldBytes();
    for (let number = 0; number < 1000; number += 1)
      await cache.get(of(`http://site.test/${number}`), failing);

    expect((await heldBytes()) - before).toBeLessThan(cache.size().bytes);
    expect(cache.size().failed).toBe(1000);
  });

  it('stays within its bytes for 5,000 different URLs', async () => {
    const { cache, make } = cacheWith({ maxBytes: 200_000 });
    let largest = 0;

    for (let index = 0; index < 5000; index += 1) {
      await cache.get(of(`https://site.test/${index}`), make('x'.repeat(500)));
      largest = Math.max(largest, cache.size().bytes);
    }

    expect(largest).toBeLessThanOrEqual(200_000 + 2000);
    expect(cache.size().entries).toBeGreaterThan(50);
  });

  it('takes no longer for a new entry where an old one has to go for it', async () => {
    const { cache: roomy, make } = cacheWith({ maxBytes: 1e9 });
    const { cache: full } = cacheWith({ maxBytes: 20_000 * 760 });
    const costsUs: { roomy: number; full: number }[] = [];
    for (let round = 0; round < 8; round += 1) {
      const fill = async (cache: PreviewCache) => {
        for (let number = 0; number < 10_000; number += 1)
          await cache.get(of(`https://site.test/${round}/${number}`), make('x'));
      };
      costsUs.push({ roomy: await cpuUsOf(() => fill(roomy)), full: await cpuUsOf(() => fill(full)) });
    }

    const [roomyUs, fullUs] = (['roomy', 'full'] as const).map((which) =>
      Math.min(...costsUs.slice(5).map((each) => each[which])),
    );
    // To take one away costs as much as to add one; to search for it, six times as much.
    expect(fullUs).toBeLessThan(3 * roomyUs!);
    expect(full.size().entries).toBeGreaterThan(18_000);
  });

  it('does not keep entries for ever when the clock is set back', async () => {
    const { cache, clock, make, computations } = cacheWith();
    await cache.get(of('u'), make('x'));

    clock.advance(-10 * HOUR);
    await cache.get(of('u'), make('x'));

    expect(computations()).toBe(2);
  });

  it('forgets one URL and all of them when told', async () => {
    const { cache, make } = cacheWith();
    await cache.get(of('a'), make('a'));
    await cache.get(of('b'), make('b'));

    expect([cache.forget('a'), cache.forget('a'), cache.clear()]).toEqual([true, false, 1]);
    expect(cache.size()).toEqual({ entries: 0, bytes: 0, running: 0, failed: 0 });
  });
});
