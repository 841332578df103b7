import { describe, expect, it } from 'vitest';

import { HOUR_MS } from '../../../../src/core/base/clock.js';
import { ApiError } from '../../../../src/core/base/errors/api-error.js';
import { MemoryList, type MemoryRecord } from '../../../../src/core/operators/previews/memory-list.js';
import type { Page } from '../../../../src/core/store/lists/keyset-page.js';
import { PreviewForgetting } from '../../../../src/core/preview/pipeline/preview-forgetting.js';
import { InstanceMessages } from '../../../../src/core/store/instances/instance-messages.js';
import { createLogger } from '../../../../src/core/base/logger.js';
import { PreviewCache } from '../../../../src/core/preview/pipeline/preview-cache.js';
import { ManualClock } from '../../../support/manual-clock.js';

function makeCache(): PreviewCache {
  return new PreviewCache({
    clock: new ManualClock(),
    maxBytes: 1_000_000,
    failureLifetimeMs: () => HOUR_MS,
  });
}

function listOf(cache: PreviewCache): MemoryList {
  const messages = new InstanceMessages(null, createLogger({ level: 'silent' }));
  return new MemoryList(cache, new PreviewForgetting(cache, messages));
}

async function makeList(): Promise<{ cache: PreviewCache; list: MemoryList }> {
  const cache = makeCache();
  for (const name of ['a', 'b', 'c']) {
    await cache.get({ url: `https://good.test/${name}`, userId: '@a:b' }, () =>
      Promise.resolve({ body: Buffer.from('{}') }),
    );
    const error = new ApiError(502, `no ${name}`);
    await cache.get({ url: `https://bad.test/${name}`, userId: '@a:b' }, () => Promise.reject(error));
  }
  void cache.get({ url: 'https://slow.test/', userId: '@a:b' }, () => new Promise(() => undefined));
  return { cache, list: listOf(cache) };
}

describe('the memory cache for operators', () => {
  it('shows failures first, then what is being made, then the newest, page by page', async () => {
    const { list } = await makeList();
    const urls: string[] = [];
    for (let cursor: string | null = null; ;) {
      const page: Page<MemoryRecord> = list.page({}, { direction: 'forward', size: 2, cursor }).page;
      urls.push(...page.rows.map(({ row }) => row.url));
      if (!page.hasNextPage) break;
      cursor = page.endCursor;
    }

    expect(urls).toEqual([
      ...['c', 'b', 'a'].map((name) => `https://bad.test/${name}`),
      'https://slow.test/',
      ...['c', 'b', 'a'].map((name) => `https://good.test/${name}`),
    ]);
  });

  it('pages back, and refuses what is not a cursor', async () => {
    const { list } = await makeList();
    const whole = list.page({}, { direction: 'forward', size: 10, cursor: null }).page;
    const last = whole.rows.at(-1)?.cursor ?? null;

    const back = list.page({}, { direction: 'backward', size: 2, cursor: last }).page;

    expect(back.rows.map(({ row }) => row.url)).toEqual(['https://good.test/c', 'https://good.test/b']);
    expect(back).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
    for (const cursor of ['', '!!', 'x'.repeat(5000)]) {
      expect(() => list.page({}, { direction: 'forward', size: 2, cursor }).page).toThrow(ApiError);
    }
  });

  it('tells what clients get of a failure', async () => {
    const { list } = await makeList();

    expect(list.findByUrl('https://bad.test/a')).toMatchObject({
      state: 'failed',
      status: 502,
      errcode: 'M_UNKNOWN',
      message: 'no a',
    });
    expect(list.findByUrl('https://slow.test/')).toMatchObject({ state: 'running', status: null });
    const found = list.page(
      { state: 'ready', search: 'GOOD' },
      { direction: 'forward', size: 9, cursor: null },
    );
    expect(found.count).toBe(3);
  });

  it('finds by id; an id of another life is nobody', async () => {
    const { list } = await makeList();
    const id = list.findByUrl('https://good.test/a')?.id ?? '';

    expect(listOf(makeCache()).find([id])).toEqual([null]);
    expect(list.find([id, 'nobody'])).toMatchObject([{ url: 'https://good.test/a' }, null]);
  });
});
