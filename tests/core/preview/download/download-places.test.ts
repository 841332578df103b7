import { describe, expect, it } from 'vitest';

import type { FairPlaces } from '../../../../src/core/base/places/fair-places.js';
import { createDownloadPlaces } from '../../../../src/core/preview/download/download-places.js';

const NEVER = new AbortController().signal;

/** Enters and notes it; the place is given back by the function under the name. */
function visitor(places: FairPlaces) {
  const inside: string[] = [];
  const leave = new Map<string, () => void>();
  const enter = async (name: string, host: string, signal: AbortSignal = NEVER): Promise<void> => {
    leave.set(name, await places.enter({ asker: undefined, group: host }, signal));
    inside.push(name);
  };
  return { inside, leave, enter };
}

/** Lets promises that are settled run their reactions. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('places of downloads', () => {
  it('let two per host run, and others past them', async () => {
    const places = createDownloadPlaces({
      maxConcurrent: 10,
      reserved: 0,
      maxConcurrentPerHost: 2,
      maxQueued: 10,
    });
    const { inside, leave, enter } = visitor(places);

    for (const name of ['a1', 'a2', 'a3', 'b1']) void enter(name, name.slice(0, 1));
    await settle();
    expect(inside).toEqual(['a1', 'a2', 'b1']);
    leave.get('a2')?.();
    await settle();

    expect(inside).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  it('let hosts take turns under the global limit', async () => {
    const places = createDownloadPlaces({
      maxConcurrent: 1,
      reserved: 0,
      maxConcurrentPerHost: 1,
      maxQueued: 20,
    });
    const { inside, leave, enter } = visitor(places);

    const names = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'];
    for (const name of names) void enter(name, name.slice(0, 1));
    await settle();
    for (let left = 0; left < names.length; left += 1) {
      leave.get(inside[left] ?? '')?.();
      await settle();
    }

    expect(inside).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
    expect(places.load).toEqual({ running: 0, waiting: 0 });
  });

  it('refuse with 503 and Retry-After what finds the queue full', async () => {
    const places = createDownloadPlaces({
      maxConcurrent: 1,
      reserved: 0,
      maxConcurrentPerHost: 1,
      maxQueued: 4,
    });
    const { enter } = visitor(places);
    await enter('a', 'a');
    for (const host of ['b', 'c', 'd', 'e']) void enter(host, host);

    await expect(places.enter({ asker: undefined, group: 'f' }, NEVER)).rejects.toMatchObject({
      status: 503,
      errcode: 'M_UNKNOWN',
      retryAfterSeconds: 5,
      reason: 'busy',
    });
  });

  it('give one host at most half of the queue', async () => {
    const places = createDownloadPlaces({
      maxConcurrent: 1,
      reserved: 0,
      maxConcurrentPerHost: 1,
      maxQueued: 4,
    });
    const { enter } = visitor(places);
    for (const name of ['a1', 'a2', 'a3']) void enter(name, 'a');
    await settle();

    await expect(places.enter({ asker: undefined, group: 'a' }, NEVER)).rejects.toMatchObject({
      status: 503,
    });
    void enter('b1', 'b');
    await settle();
    expect(places.load).toEqual({ running: 1, waiting: 3 });
  });

  it('forget who stops waiting', async () => {
    const places = createDownloadPlaces({
      maxConcurrent: 1,
      reserved: 0,
      maxConcurrentPerHost: 1,
      maxQueued: 4,
    });
    const { inside, leave, enter } = visitor(places);
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
    const places = createDownloadPlaces({
      maxConcurrent: 2,
      reserved: 0,
      maxConcurrentPerHost: 2,
      maxQueued: 4,
    });
    const leave = await places.enter({ asker: undefined, group: 'a' }, NEVER);
    await places.enter({ asker: undefined, group: 'a' }, NEVER);

    leave();
    leave();

    expect(places.load).toEqual({ running: 1, waiting: 0 });
  });
});
