import { expect, it } from 'vitest';

import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../src/core/base/clock.js';
import { PeerDates } from '../../../../src/core/notary/federation/peer-dates.js';
import { peerClockCheck } from '../../../../src/core/operators/overview/health/peer-checks.js';
import { ManualClock } from '../../../support/manual-clock.js';

const noted = (offsetsMs: readonly number[]) => {
  const clock = new ManualClock();
  const dates = new PeerDates(clock);
  for (const [index, offsetMs] of offsetsMs.entries())
    dates.note(`${index}.example`, new Date(clock.now() + offsetMs).toUTCString());
  return { clock, dates };
};

it('judges our clock by three servers at least, and passes over what is no date', async () => {
  const { dates } = noted([0, 0]);
  dates.note('c.example', 'yesterday');
  dates.note('d.example', undefined);
  expect(await peerClockCheck(dates).look()).toMatchObject({ state: 'unproved' });
  dates.note('c.example', new Date().toUTCString());
  expect(dates.lately?.servers).toBe(3);
});

it('is not led by single servers with wrong clocks', async () => {
  const { clock, dates } = noted([0, 0, 0, -HOUR_MS, HOUR_MS]);
  expect(await peerClockCheck(dates).look()).toMatchObject({ state: 'ok', provedTs: clock.now() });
});

it.each([
  [MINUTE_MS, 'behind'],
  [-MINUTE_MS, 'ahead of'],
])('warns when most others are %i ms away', async (offsetMs, words) => {
  const { dates } = noted([offsetMs, offsetMs, offsetMs + SECOND_MS, 0]);
  const found = await peerClockCheck(dates).look();
  expect(found.state).toBe('warning');
  expect(found.message).toContain(words);
});

it('forgets answers after an hour', () => {
  const { clock, dates } = noted([0, 0, 0]);
  clock.advance(HOUR_MS);
  expect(dates.lately).toBeNull();
});
