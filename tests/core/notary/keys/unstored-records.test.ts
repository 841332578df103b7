import { expect, it } from 'vitest';

import { SECOND_MS } from '../../../../src/core/base/clock.js';
import { acceptKeyRecord } from '../../../../src/core/notary/key-record/key-record.js';
import { readStoredRecord } from '../../../../src/core/notary/key-record/record-signing.js';
import { RecordCache } from '../../../../src/core/notary/keys/record-cache.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { makeKeyRecord, makeTestKey } from '../../../support/origins/key-record-maker.js';

const NAME = 'unstored.example';
const LIFETIME_MS = 30 * SECOND_MS;
const POLICY = { requireAllKeysSigned: false, bannedPublicKeys: new Set<string>(), maxKeys: 250 };
const KEYS = ['k1', 'k2', 'k3'].map((version) => makeTestKey(version));

const publish = (numbers: readonly number[]): Buffer => {
  const keys = numbers.flatMap((number) => KEYS[number - 1] ?? []);
  return makeKeyRecord({ serverName: NAME, keys, validUntilTs: 2_000_000_000_000 });
};

/** A cache above two stored records, of which `stored` may be changed. */
function createCache() {
  const clock = new ManualClock();
  const stored = [[1], [2]].map((numbers, at) =>
    readStoredRecord({ id: at + 1, published: publish(numbers), lastSeenTs: clock.now() }),
  );
  const cache = new RecordCache({
    load: async () => new Map([[NAME, stored]]),
    sign: (published) => published,
    clock,
    maxBytes: 1_000_000,
    lifetimeMs: LIFETIME_MS,
  });
  const find = async () => {
    const known = cache.peek(NAME, clock.now());
    const found = known ?? (await cache.find([NAME], { limitMs: 1000, maxBytes: 1_000_000 }))?.get(NAME);
    return {
      ids: found?.records.map(({ id }) => id),
      leads: Object.fromEntries(Array.from(found?.byKeyId ?? [], ([keyId, { id }]) => [keyId.slice(-2), id])),
    };
  };
  const keep = (published: Buffer) =>
    cache.keepUnstored({
      record: acceptKeyRecord(published, NAME, POLICY),
      published,
      fetchedTs: clock.now(),
    });
  return { cache, clock, stored, find, keep };
}

it('a record that is not stored is answered for a while, beside those of which it does not list every key', async () => {
  const { clock, find, keep } = createCache();
  const inStore = { ids: [1, 2], leads: { k1: 1, k2: 2 } };
  expect(await find()).toEqual(inStore);

  await keep(publish([1, 3]));
  expect(await find()).toEqual({ ids: [2, -1], leads: { k1: -1, k2: 2, k3: -1 } });
  clock.advance(LIFETIME_MS + 1);
  expect(await find()).toEqual(inStore);
});

it('such a record hides nothing that is stored, whether that was in memory or not', async () => {
  const { cache, stored, find, keep } = createCache();
  await keep(publish([3]));
  expect(await find()).toEqual({ ids: [1, 2, -1], leads: { k1: 1, k2: 2, k3: -1 } });
  // Another instance has stored less meanwhile.
  stored.shift();
  await keep(publish([3]));
  expect(await find()).toEqual({ ids: [2, -2], leads: { k2: 2, k3: -2 } });
  const { bytes } = cache.size();
  await keep(publish([3]));
  expect(cache.size()).toEqual({ bytes, servers: 1 });
});
