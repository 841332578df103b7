import { expect, it } from 'vitest';

import { findGc } from '../../../../src/core/base/runtime/find-gc.js';

const OBJECTS = 1_000_000;
/** Node 20 gives pages back little by little, later ones all at once, when asked as a last resort. */
const LEAST_SHARE = Number(process.versions.node.split('.')[0]) >= 22 ? 0.5 : 0.05;

it('gives the system back what garbage took', () => {
  const collect = findGc('major');
  collect();
  const [before, grown] = [process.memoryUsage().rss, rssWithObjects()];

  collect();

  const givenBack = grown - process.memoryUsage().rss;
  expect(grown - before).toBeGreaterThan(50_000_000);
  expect(givenBack / (grown - before)).toBeGreaterThan(LEAST_SHARE);
});

/** In a function of its own, so that nothing refers to them afterwards. */
function rssWithObjects(): number {
  const objects = Array.from({ length: OBJECTS }, (_, id) => ({ id, all: [id] }));
  const rss = process.memoryUsage().rss;
  expect(objects).toHaveLength(OBJECTS);
  return rss;
}
