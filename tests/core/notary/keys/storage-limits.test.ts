import { afterAll, beforeAll, expect, it } from 'vitest';

import { STORED_PER_DOMAIN } from '../../../../src/composition/key-fetch.js';
import { parseConfig } from '../../../../src/config/parse-config.js';
import { createLogger } from '../../../../src/core/base/logger.js';
import { acceptKeyRecord } from '../../../../src/core/notary/key-record/key-record.js';
import { type FetchOutcome, unknownHealth } from '../../../../src/core/notary/keys/fetch-store.js';
import { DomainBudget } from '../../../../src/core/notary/keys/saving/storage-limits.js';
import { openDatabase, type Database } from '../../../../src/core/store/db.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { makeKeyRecord } from '../../../support/origins/key-record-maker.js';
import { K1, K2 } from '../../../support/origins/record-recipes.js';
import { createTestDatabase, type TestDatabase } from '../../../support/store/databases.js';

const SERVERS = 10_000;
const GROUP = 1000;

const parsed = parseConfig({ server_name: 'notary.test' });
if (!parsed.ok) throw new Error('the defaults are refused');
const { federation } = parsed.config;
const POLICY = { requireAllKeysSigned: false, bannedPublicKeys: new Set<string>(), maxKeys: 1000 };

let place: TestDatabase;
let database: Database;
const reached: string[] = [];
const budget = new DomainBudget({
  clock: new ManualClock(),
  logger: createLogger({ level: 'silent' }),
  ...STORED_PER_DOMAIN,
  maxTotalBytes: federation.max_stored_bytes,
  onBound: (bound) => reached.push(bound),
});

beforeAll(async () => {
  place = await createTestDatabase('sqlite');
  database = await openDatabase(place.options, createLogger({ level: 'silent' }));
});
afterAll(async () => {
  await database.close();
  await place.cleanup();
});

const origin = 'a.small.example';
const published = makeKeyRecord({ serverName: origin, keys: [K1, K2], validUntilTs: 9_000_000 });
const fetched = { record: acceptKeyRecord(published, origin, POLICY), published, fetchedTs: 1000 };
const first = (serverName: string): FetchOutcome => {
  const entry = { serverName, startedTs: 1000, durationMs: 5, cause: 'query', steps: [] } as const;
  return {
    entry: { ...entry, outcome: 'ok', reason: null, message: null },
    health: unknownHealth(1000),
    fetched,
    events: [],
    isFirst: true,
  };
};
const charge = (outcomes: readonly FetchOutcome[]) =>
  database.client.$transaction(async (tx) => {
    const charged = await budget.charge(tx, outcomes);
    await budget.book(tx, charged);
    return charged;
  });

it('on default settings, 10,000 ordinary servers of one domain fit in 256 MiB, and no more', async () => {
  expect(STORED_PER_DOMAIN.maxBytes).toBe(256 * 1024 * 1024);
  await charge([first(origin)]);
  for (let at = 1; at < SERVERS; at += GROUP) {
    const length = Math.min(GROUP, SERVERS - at);
    const group = Array.from({ length }, (_, index) => first(`n${at + index}.small.example`));
    expect((await charge(group)).refused.size).toBe(0);
  }
  const { refused } = await charge([first('late.small.example')]);
  expect([...refused]).toEqual(['late.small.example']);
  expect(reached).toEqual(['servers']);
});
