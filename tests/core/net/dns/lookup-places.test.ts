import { expect, it } from 'vitest';

import { LookupPlaces } from '../../../../src/core/net/dns/lookup-places.js';

const DEFAULTS = { maxLookups: 4096, maxLookupsPerAsker: 1024, maxLookupsPerDomain: 1024 };

it('somebody new finds room to wait for a look-up, however many take half of what is left', async () => {
  const places = new LookupPlaces(DEFAULTS, () => {});
  for (let asker = 0; asker < 14; asker += 1)
    for (let at = 0; at < 2048; at += 1)
      places.enter(`d${at}.example`, { key: `mallory${asker}`, question: '1' });
  const tickets = ['1', '2', '3'].map((question) =>
    places.enter('alice.example', { key: 'alice', question }),
  );

  expect(await Promise.all(tickets.map(({ admitted }) => admitted))).toEqual([true, true, true]);
});
