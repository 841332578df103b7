import { getHeapStatistics } from 'node:v8';

import { expect, it } from 'vitest';

import { findGc } from '../../../../src/core/base/runtime/find-gc.js';

const OBJECTS = 1_000_000;
/** Of what garbage took. */
const LEAST_SHARE = 0.5;

it.each([
  ['alone', 0],
  ['among as many objects that stay', 2],
])('gives the system back what garbage took %s', (_, keepEach) => {
  const collect = findGc('major');
  collect();
  const before = heldBytes();
  const { grown, kept } = makeGarbage(keepEach);

  collect();

  const garbage = (grown - before) * (1 - kept.length / OBJECTS);
  expect(garbage).toBeGreaterThan(25_000_000);
  expect((grown - heldBytes()) / garbage).toBeGreaterThan(LEAST_SHARE);
  expect(kept).toHaveLength(keepEach === 0 ? 0 : OBJECTS / keepEach);
});

/** Of the system, by this thread's heap. */
function heldBytes(): number {
  return getHeapStatistics().total_physical_size;
}

/** In a function of its own, so that nothing refers to the garbage afterwards; `keepEach` 0: nothing stays. */
function makeGarbage(keepEach: number): { grown: number; kept: unknown[] } {
  const objects = Array.from({ length: OBJECTS }, (_, id) => ({ id, all: [id] }));
  const kept = keepEach === 0 ? [] : objects.filter(({ id }) => id % keepEach === 0);
  return { grown: heldBytes(), kept };
}
