import { expect, it } from 'vitest';

import { HOUR_MS } from '../../../../src/core/base/clock.js';
import { RequestJournal } from '../../../../src/core/operators/requests/request-journal.js';
import { ManualClock } from '../../../support/manual-clock.js';

const preview = { kind: 'preview', subject: 'https://SITE.example/', outcome: 'ok' } as const;

it('failures without a log line make no request of another time doubtful', () => {
  const clock = new ManualClock();
  const journal = new RequestJournal({ clock, maxEvents: 100 });
  journal.note('before', preview);
  clock.advance(HOUR_MS);
  journal.noteUnlogged();
  journal.note('beside', preview);
  clock.advance(HOUR_MS);
  journal.note('after', preview);

  expect(['before', 'beside', 'after', 'unknown'].map((id) => journal.find(id).isWhole)).toEqual([
    true,
    false,
    true,
    false,
  ]);
});

it('failures of long ago are forgotten with the requests of their time', () => {
  const clock = new ManualClock();
  const journal = new RequestJournal({ clock, maxEvents: 1 });
  journal.noteUnlogged();
  clock.advance(HOUR_MS);
  journal.note('later', preview);
  clock.advance(HOUR_MS);
  journal.noteUnlogged();

  expect(journal.find('unknown').unlogged).toMatchObject({ count: 1, sinceTs: clock.now() });
});

it('finds the latest previews of a host', () => {
  const journal = new RequestJournal({ clock: new ManualClock(), maxEvents: 100 });
  journal.note('one', preview);
  journal.note('two', { ...preview, subject: 'https://other.example/' });
  journal.note('three', preview);

  for (const look of [1, 2])
    expect([look, journal.latestPreviews('site.example', 5).map(({ requestId }) => requestId)]).toEqual([
      look,
      ['three', 'one'],
    ]);
});

it('forgets whole requests, the oldest first', () => {
  const journal = new RequestJournal({ clock: new ManualClock(), maxEvents: 3 });
  const held = () => ['one', 'two', 'three', 'four'].map((id) => journal.find(id).events.length);
  for (const id of ['one', 'two', 'one', 'three']) journal.note(id, preview);
  const afterThree = held();
  for (const id of ['one', 'four', 'four']) journal.note(id, preview);

  expect(afterThree).toEqual([0, 1, 1, 0]);
  expect(held()).toEqual([1, 0, 0, 2]);
});
