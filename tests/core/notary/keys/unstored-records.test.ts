import { expect, it } from 'vitest';

import { SECOND_MS } from '../../../../src/core/base/clock.js';
import { acceptKeyRecord } from '../../../../src/core/notary/key-record/key-record.js';
import { RecordCache } from '../../../../src/core/notary/keys/record-cache.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { makeKeyRecord, makeTestKey } from '../../../support/origins/key-record-maker.js';

it('records that are not stored take 8 MiB of memory at most', () => {
  const cache = new RecordCache({
    load: async () => new Map(),
    sign: (published) => published,
    clock: new ManualClock(),
    maxBytes: 1,
    lifetimeMs: 30 * SECOND_MS,
  });
  const policy = { requireAllKeysSigned: false, bannedPublicKeys: new Set<string>(), maxKeys: 250 };
  const keys = [makeTestKey('k1')];
  const extra = { pad: 'x'.repeat(200_000) };
  for (let server = 0; server < 60; server += 1) {
    const serverName = `n${server}.example`;
    const published = makeKeyRecord({ serverName, keys, validUntilTs: 2_000_000_000_000, extra });
    const record = acceptKeyRecord(published, serverName, policy);
    cache.keepUnstored({ record, published, fetchedTs: 0 });
  }
  expect(cache.size().bytes).toBeGreaterThan(7 * 1024 ** 2);
  expect(cache.size().bytes).toBeLessThanOrEqual(8 * 1024 ** 2);
});
