import { describe, expect, it } from 'vitest';

import { createDownloadQueue } from '../../../../src/core/preview/download/download-queue.js';

const ONE = { maxConcurrent: 1, reserved: 0, maxConcurrentPerHost: 1 };
const nobody = (group: string) => ({ client: undefined, group });

describe('the queue of downloads', () => {
  it('refuses with 503 and Retry-After what finds it full', async () => {
    const queue = createDownloadQueue({ ...ONE, maxQueued: 4 });
    await queue.slot(nobody('a'));
    for (const host of ['b', 'c', 'd', 'e']) void queue.slot(nobody(host)).catch(() => undefined);

    await expect(queue.slot(nobody('f'))).rejects.toMatchObject({
      status: 503,
      errcode: 'M_UNKNOWN',
      retryAfterSeconds: 5,
      reason: 'busy',
    });
  });

  it('refuses with 503 what stops waiting', async () => {
    const queue = createDownloadQueue({ ...ONE, maxQueued: 4 });
    const leave = await queue.slot(nobody('a'));
    const caller = new AbortController();
    const impatient = queue.slot(nobody('a'), caller.signal);
    const next = queue.slot(nobody('a'));
    caller.abort();
    await expect(impatient).rejects.toMatchObject({ status: 503 });
    leave();
    (await next)();
    expect(queue.load).toEqual({ running: 0, waiting: 0 });
  });
});
