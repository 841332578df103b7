import { setImmediate, setTimeout } from 'node:timers/promises';

import { beforeEach, expect, it } from 'vitest';

import { LoopTurns } from '../../../../src/core/base/places/loop-turns.js';
import { threadCpuUsage } from '../../../../src/core/base/runtime/thread-cpu-usage.js';

const SMALL = 1024;
const LARGE = 32 * 1024;

let turns: LoopTurns;
let done: string[];
beforeEach(() => {
  turns = new LoopTurns();
  done = [];
});
/** What an earlier test left waiting goes into its own list. */
function run(by: string, bytes: number): void {
  const list = done;
  turns.run({ by, from: by, bytes }, () => void list.push(by));
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

it('does at once what fits into one turn of the event loop, and the rest in the next ones', async () => {
  for (let at = 0; at < 30; at += 1) run('a', SMALL);
  expect(done).toHaveLength(12);

  await setImmediate();
  expect(done.length).toBeLessThan(30);
  await expect.poll(() => done).toHaveLength(30);
});

it('takes turns by whose work it is', async () => {
  for (let at = 0; at < 100; at += 1) run('many', SMALL);
  run('few', SMALL);

  await setImmediate();
  expect(done).toContain('few');
  expect(done.length).toBeLessThan(30);
});

it('does one large work in a turn, and lets small ones pass', async () => {
  for (let at = 0; at < 3; at += 1) run('large', LARGE);
  expect(done).toEqual(['large']);
  run('small', SMALL);

  await expect.poll(() => done).toEqual(expect.arrayContaining(['large', 'large', 'large', 'small']));
  expect(done).toHaveLength(4);
});

it('pauses after large work three times as long as it took', async () => {
  const began: number[] = [];
  const busyMs = 20;
  for (let at = 0; at < 2; at += 1) {
    turns.run({ by: 'a', from: 'a', bytes: LARGE }, () => {
      began.push(performance.now());
      keepBusy(busyMs);
    });
  }

  while (began.length < 2) await setTimeout(1);
  expect((began[1] ?? 0) - (began[0] ?? 0)).toBeGreaterThanOrEqual(4 * busyMs);
});

/** Small, and takes 40 ms. */
function runCostly(by: string): void {
  const list = done;
  turns.run({ by, from: by, bytes: SMALL }, () => {
    keepBusy(40);
    list.push(by);
  });
}

it('does one small work that takes long in a turn, and from the third on all of whoever sent it with pauses', async () => {
  const startMs = performance.now();
  for (let at = 0; at < 4; at += 1) runCostly('costly');
  expect(done).toEqual(['costly']);
  run('small', SMALL);

  await expect.poll(() => done).toHaveLength(5);
  expect(done.indexOf('small')).toBeLessThan(3);
  // Nothing waits any longer, and it is still known whose work takes long.
  expect(performance.now() - startMs).toBeGreaterThanOrEqual(4 * 40 + 40 + 2 * 120);
  runCostly('costly');
  expect(done).toHaveLength(5);
  await expect.poll(() => done).toHaveLength(6);
});

it('hands over what its work gives, or throws', async () => {
  await expect(turns.result({ by: 'a', from: 'a', bytes: SMALL }, () => 7)).resolves.toBe(7);
  const failing = () => {
    throw new Error('refused');
  };
  await expect(turns.result({ by: 'a', from: 'a', bytes: LARGE }, failing)).rejects.toThrow('refused');
});
