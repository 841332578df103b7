import { expect, it } from 'vitest';

import { SECOND_MS } from '../../../../src/core/base/clock.js';
import { acceptKeyRecord } from '../../../../src/core/notary/key-record/key-record.js';
import {
  readStoredRecord,
  type StoredRecord,
} from '../../../../src/core/notary/key-record/record-signing.js';
import { RecordCache } from '../../../../src/core/notary/keys/record-cache.js';
import type { FetchedRecord } from '../../../../src/core/notary/keys/saving/record-rows.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { makeKeyRecord, makeTestKey } from '../../../support/origins/key-record-maker.js';

const NAME = 'unstored.example';
const LIFETIME_MS = 30 * SECOND_MS;
const POLICY = { requireAllKeysSigned: false, bannedPublicKeys: new Set<string>(), maxKeys: 250 };
const KEYS = ['k1', 'k2', 'k3'].map((version, at) => makeTestKey(version, Buffer.alloc(32, at + 1)));

/** A record of some of the keys, by their numbers. */
const publish = (numbers: readonly number[], { serverName = NAME, pad = '' } = {}): Buffer =>
  makeKeyRecord({
    serverName,
    keys: numbers.flatMap((number) => KEYS[number - 1] ?? []),
    validUntilTs: 2_000_000_000_000,
    extra: { pad },
  });

/** A cache over what is stored of one server, and its clock. */
const start = () => {
  const clock = new ManualClock();
  const stored: StoredRecord[] = [];
  const cache = new RecordCache({
    load: async () => new Map([[NAME, [...stored]]]),
    sign: (published) => published,
    clock,
    // Each answer is made of what is stored.
    maxBytes: 1,
    lifetimeMs: LIFETIME_MS,
  });
  const fetch = (published: Buffer, serverName = NAME): FetchedRecord => ({
    record: acceptKeyRecord(published, serverName, POLICY),
    published,
    fetchedTs: clock.now(),
  });
  return {
    clock,
    cache,
    fetch,
    store: (published: Buffer, lastSeenTs = clock.now()) =>
      void stored.push(readStoredRecord({ id: stored.length + 1, serverName: NAME, published, lastSeenTs })),
    keep: (published: Buffer) => cache.keepUnstored(fetch(published)),
    /** Row ids, and where each key id leads. */
    find: async () => {
      const found = (await cache.find([NAME], { limitMs: 1000, maxBytes: 1_000_000 }))?.get(NAME);
      return {
        ids: found?.records.map(({ id }) => id),
        leads: Object.fromEntries(
          Array.from(found?.byKeyId ?? [], ([keyId, { id }]) => [keyId.slice(-2), id]),
        ),
      };
    },
  };
};

it('a record that is not stored is the newest of its server, and replaces those of which it lists every key', async () => {
  const { clock, store, keep, find } = start();
  store(publish([1]));
  store(publish([2]));
  clock.advance(1);
  keep(publish([1, 3]));
  expect(await find()).toEqual({ ids: [2, -1], leads: { k1: -1, k2: 2, k3: -1 } });
});

it('is answered once when it is stored as well', async () => {
  const { clock, store, keep, find } = start();
  store(publish([1]));
  store(publish([1, 2]));
  clock.advance(1);
  keep(publish([1]));
  expect(await find()).toEqual({ ids: [2, -1], leads: { k1: -1, k2: 2 } });
});

it('those of all servers take 8 MiB at most', () => {
  const { cache, fetch } = start();
  const pad = 'x'.repeat(200_000);
  for (let server = 0; server < 60; server += 1) {
    const serverName = `n${server}.example`;
    cache.keepUnstored(fetch(publish([1], { serverName, pad }), serverName));
  }
  expect(cache.size().bytes).toBeGreaterThan(7 * 1024 ** 2);
  expect(cache.size().bytes).toBeLessThanOrEqual(8 * 1024 ** 2);
});
