import { expect, it } from 'vitest';

import { HOUR_MS, MINUTE_MS } from '../../../../src/core/base/clock.js';
import { ReachedBounds } from '../../../../src/core/base/limits/reached-bounds.js';

it('a bound is counted each time, logged once a minute, and told for an hour', () => {
  let nowTs = 1_800_000_000_000;
  const counted: string[] = [];
  const lines: unknown[] = [];
  const bounds = new ReachedBounds<'total' | 'asker'>({
    clock: { now: () => nowTs },
    log: (line) => lines.push(line),
    count: (bound) => counted.push(bound),
  });
  bounds.note('total', { client: 'a' });
  bounds.note('total', { client: 'b' });
  bounds.note('asker');
  nowTs += MINUTE_MS;
  bounds.note('total', { client: 'c' });

  expect(counted).toEqual(['total', 'total', 'asker', 'total']);
  expect(lines).toEqual([
    { bound: 'total', times: 1, client: 'a' },
    { bound: 'asker', times: 1 },
    { bound: 'total', times: 3, client: 'c' },
  ]);
  expect(bounds.lately).toEqual([
    { bound: 'total', times: 3 },
    { bound: 'asker', times: 1 },
  ]);
  nowTs += HOUR_MS;
  expect(bounds.lately).toEqual([{ bound: 'total', times: 3 }]);
  nowTs += 1;
  expect(bounds.lately).toEqual([]);
});
