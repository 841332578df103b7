import { expect, it } from 'vitest';

import { Places } from '../../../../src/core/base/places/places.js';

const JOINING = 30_000;
/** Looked through one after the other they take seconds. */
const MOST_MS = 1000;

it('one more who joins costs as little as the first', () => {
  const places = new Places({ total: 0, about: ['host'], mayGo: () => true });
  const ticket = places.enter({ asker: { key: 'alice', question: 'q' }, about: ['host'] });
  const before = process.cpuUsage();
  for (let at = 0; at < JOINING; at += 1) ticket.join({ key: `user${at}`, question: 'q' });
  ticket.leave();
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(MOST_MS);
});
