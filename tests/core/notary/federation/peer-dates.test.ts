import { expect, it } from 'vitest';

import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../src/core/base/clock.js';
import type { PeerDates } from '../../../../src/core/notary/federation/peer-dates.js';
import { clockProbe } from '../../../../src/core/operators/probes/clock-probe.js';
import { ManualClock } from '../../../support/manual-clock.js';

/** What is found where servers state times that are so far from ours. */
const found = (offsetsMs: readonly number[], alsoNote: (dates: PeerDates) => void = () => undefined) => {
  const clock = new ManualClock();
  const ask = async (serverNames: readonly string[], dates: PeerDates) => {
    for (const [index, name] of serverNames.entries())
      dates.note(name, new Date(clock.now() + (offsetsMs[index] ?? 0)).toUTCString());
    alsoNote(dates);
  };
  const known = async () => offsetsMs.map((_, index) => `${index}.example`);
  return clockProbe({ clock, known, ask }).prove(new AbortController().signal);
};

it('judges our clock by three servers at least, and passes over what is no date', async () => {
  const few = await found([0, 0], (dates) => {
    dates.note('c.example', 'yesterday');
    dates.note('d.example', undefined);
  });
  expect(few).toMatchObject({ state: 'unproved', advice: expect.stringContaining('Three servers') });
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
