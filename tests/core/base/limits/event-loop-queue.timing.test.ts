import { setImmediate, setTimeout } from 'node:timers/promises';
import { beforeEach, expect, it } from 'vitest';

import { EventLoopQueue, threadCpuUsage } from '../../../../src/core/base/limits/event-loop-queue.js';

const SMALL = 1024;
const LARGE = 32 * 1024;

let turns: EventLoopQueue;
let done: string[];
beforeEach(() => {
  turns = new EventLoopQueue();
  done = [];
});
/** What an earlier test left waiting goes into its own list. */
function run(by: string, bytes: number): void {
  const list = done;
  turns.run({ client: by, bytes }, () => void list.push(by));
}

/** Uses so much processor time, and takes at least as long where that is not told of a thread. */
function keepBusy(busyMs: number): void {
  const startMs = performance.now();
  const before = threadCpuUsage();
  for (;;) {
    const { user, system } = threadCpuUsage(before);
    if (user + system >= busyMs * 1000 && performance.now() - startMs >= busyMs) return;
  }
}

it('does a few KiB in an iteration of the event loop, of each client in turn', async () => {
  for (let at = 0; at < 100; at += 1) run('many', SMALL);
  run('few', SMALL);
  expect(done).toHaveLength(12);

  await setImmediate();
  expect(done).toContain('few');
  expect(done.length).toBeLessThan(30);
  await expect.poll(() => done).toHaveLength(101);
});

it('does one large work in an iteration, and lets small ones pass', async () => {
  for (let at = 0; at < 3; at += 1) run('large', LARGE);
  expect(done).toEqual(['large']);
  run('small', SMALL);

  await expect.poll(() => done).toHaveLength(4);
});

it('pauses after large work three times as long as it took', async () => {
  const began: number[] = [];
  const busyMs = 20;
  for (let at = 0; at < 2; at += 1) {
    turns.run({ client: 'a', bytes: LARGE }, () => {
      began.push(performance.now());
      keepBusy(busyMs);
    });
  }

  while (began.length < 2) await setTimeout(1);
  expect((began[1] ?? 0) - (began[0] ?? 0)).toBeGreaterThanOrEqual(4 * busyMs);
});
