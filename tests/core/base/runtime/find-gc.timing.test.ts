import { expect, it } from 'vitest';

import { findGc } from '../../../../src/core/base/runtime/find-gc.js';

const OBJECTS = 1_000_000;
/** Of what garbage took. */
const LEAST_SHARE = 0.5;

it.each([
  ['alone', 0],
  ['among as many objects that stay', 2],
])('gives the system back what garbage took %s', async (_, keepEach) => {
  const collect = findGc('major');
  collect();
  const before = process.memoryUsage().rss;
  const { rss, kept } = makeGarbage(keepEach);

  collect();

  const garbage = (rss - before) * (1 - kept.length / OBJECTS);
  expect(garbage).toBeGreaterThan(25_000_000);
  // Pages go back in a thread of their own.
  await expect.poll(() => (rss - process.memoryUsage().rss) / garbage).toBeGreaterThan(LEAST_SHARE);
});

/** In a function of its own, so that nothing refers to the garbage afterwards; `keepEach` 0: nothing stays. */
function makeGarbage(keepEach: number): { rss: number; kept: unknown[] } {
  const objects = Array.from({ length: OBJECTS }, (_, id) => ({ id, all: [id] }));
  const kept = keepEach === 0 ? [] : objects.filter(({ id }) => id % keepEach === 0);
  return { rss: process.memoryUsage().rss, kept };
}
