import { expect, it } from 'vitest';

import { systemClock } from '../../../../src/core/base/clock.js';
import { findGc } from '../../../../src/core/base/runtime/find-gc.js';
import { RequestJournal } from '../../../../src/core/operators/requests/request-journal.js';

const REQUESTS = 1000;
const TARGET_LENGTH = 15_000;

it('of long targets no more is kept than is shown', () => {
  const journal = new RequestJournal({ clock: systemClock, maxEvents: 10_000 });
  const collect = findGc('minor');
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let at = 0; at < REQUESTS; at += 1) {
    const subject = Buffer.from(`/${at}`.padEnd(TARGET_LENGTH, 'x')).toString('latin1');
    journal.note(`request-${at}`, { kind: 'failure', subject, outcome: '404', detail: subject });
    if (at % 50 === 49) collect();
  }

  expect(process.memoryUsage().heapUsed - before).toBeLessThan((REQUESTS * TARGET_LENGTH) / 4);
  expect(journal.find('request-1').events[0]?.subject).toHaveLength(500);
});

it('an event costs no more where an older one has to go for it', () => {
  const journals = [1_000_000, EVENTS].map(
    (maxEvents) => new RequestJournal({ clock: systemClock, maxEvents }),
  );
  for (const journal of journals) noteMany(journal, 'before');
  const rounds = Array.from({ length: ROUNDS }, (_, round) =>
    journals.map((journal) => cpuUsOf(() => noteMany(journal, `round-${round}`))),
  );
  const [kept = 0, forgotten = 0] = journals.map((_, which) =>
    Math.min(...rounds.map((each) => each[which] ?? 0)),
  );

  // To take one away costs as much as to add one; to search for it, five times as much.
  expect(forgotten).toBeLessThan(3 * kept);
});

const ROUNDS = 5;
const EVENTS = 40_000;

function noteMany(journal: RequestJournal, prefix: string): void {
  for (let at = 0; at < EVENTS; at += 1)
    journal.note(`${prefix}-${at}`, { kind: 'preview', subject: 'https://site.example/', outcome: 'memory' });
}

function cpuUsOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
