import { expect, it } from 'vitest';

import { ownText } from '../../../../src/core/base/runtime/own-text.js';
import { findGc } from '../../../../src/core/base/runtime/find-gc.js';

const TARGETS = 400;
const PADDING = 'x'.repeat(15_000);

/** What is kept of the addresses in as many request targets. */
function keptBytes(keep: (url: string) => string): number {
  const collect = findGc('minor');
  collect();
  const before = process.memoryUsage().heapUsed;
  // Not keys of a map: V8 makes them texts of their own when it collects.
  const kept: string[] = [];
  for (let i = 0; i < TARGETS; i += 1) {
    const target = Buffer.from(`a=${PADDING}&url=http://a.example/some/path/${i}`).toString('latin1');
    kept.push(keep(target.slice(target.indexOf('http'))));
    if (i % 50 === 49) collect();
  }
  const bytes = process.memoryUsage().heapUsed - before;
  expect(kept.length).toBe(TARGETS);
  return bytes;
}

it('a part of a text keeps the whole alive, its own text does not', () => {
  keptBytes(ownText);

  expect(keptBytes(ownText)).toBeLessThan((TARGETS * PADDING.length) / 4);
  expect(keptBytes((url) => url)).toBeGreaterThan((TARGETS * PADDING.length) / 2);
});
