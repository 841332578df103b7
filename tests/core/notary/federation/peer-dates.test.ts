import { expect, it } from 'vitest';

import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../src/core/base/clock.js';
import { PeerDates } from '../../../../src/core/notary/federation/peer-dates.js';
import { clockCheck } from '../../../../src/core/operators/health/checks/clock.js';
import { ManualClock } from '../../../support/manual-clock.js';

/** What is found where servers state times that are so far from ours. */
const found = (offsetsMs: readonly number[], alsoNote: (dates: PeerDates) => void = () => undefined) => {
  const clock = new ManualClock();
  const askPeers = async () => {
    const dates = new PeerDates(clock);
    for (const [index, offsetMs] of offsetsMs.entries())
      dates.note(`${index}.example`, new Date(clock.now() + offsetMs).toUTCString());
    alsoNote(dates);
    return dates.median;
  };
  const check = clockCheck({ clock, programTs: clock.now(), databaseTs: async () => null, askPeers });
  return check.check(new AbortController().signal);
};

it('judges our clock by three servers at least, and passes over what is not a date', async () => {
  const few = await found([0, 0], (dates) => {
    dates.note('c.example', 'yesterday');
    dates.note('d.example', undefined);
  });
  expect(few).toMatchObject({ state: 'not_yet_proved', message: 'No other clock to compare with yet.' });
  expect(await found([0, 0, 0])).toMatchObject({ state: 'ok' });
});

it('is not led by single servers with wrong clocks', async () => {
  expect(await found([0, 0, 0, -HOUR_MS, HOUR_MS])).toMatchObject({ state: 'ok' });
});

it.each([
  [MINUTE_MS, 'behind'],
  [-MINUTE_MS, 'ahead of'],
])('warns when most others are %i ms away', async (offsetMs, words) => {
  const finding = await found([offsetMs, offsetMs, offsetMs + SECOND_MS, 0]);
  expect(finding.state).toBe('warning');
  expect(finding.message).toContain(words);
});
