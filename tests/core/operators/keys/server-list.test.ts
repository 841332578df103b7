import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { openDatabase, type Database } from '../../../../src/core/store/db.js';
import {
  keyStateOf,
  serverList,
  type ServerFilter,
  type ServerListing,
} from '../../../../src/core/operators/keys/servers.js';
import { createLogger } from '../../../../src/core/base/logger.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../../../support/store/databases.js';

const NOW_TS = 10_000;

type Times = readonly [addedTs: number, dueTs: number, validUntilTs: number] | null;

const ROWS: [name: string, times: Times, failCount?: number][] = [
  ['a-fresh.example', [9000, 15_000, 21_000]],
  ['b-due.example', [1000, 9999, 18_998]],
  ['c-exactly-half.example', [0, 10_000, 20_000]],
  ['d-expired.example', [0, 4000, 9999], 3],
  ['e-ends-now.example', [0, 5000, 10_000]],
  ['f-never.example', null, 7],
  ['100%_real.example', [1, 20_000, 30_000]],
];

describe.each(testEngines())('the list of servers, on %s', (engine) => {
  let place: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    place = await createTestDatabase(engine);
    database = await openDatabase(place.options, createLogger({ level: 'silent' }));
    await database.client.remoteServer.createMany({
      data: ROWS.map(([name, times, failCount], index) => row(name, times, { failCount, index })),
    });
  });
  afterAll(async () => {
    await database.close();
    await place.cleanup();
  });

  function row(serverName: string, times: Times, { failCount = 0, index = 0 }) {
    const [addedTs, dueTs, validUntilTs] = times ?? [];
    const ts = (value: number | undefined) => (value === undefined ? null : BigInt(value));
    return {
      serverName,
      firstAskedTs: 1n,
      lastFetchTs: BigInt(500 - index),
      failCount,
      addedTs: ts(addedTs),
      dueTs: ts(dueTs),
      validUntilTs: ts(validUntilTs),
    };
  }

  const listing = (filter: ServerFilter, rest: Partial<ServerListing> = {}): ServerListing => ({
    filter,
    whitelist: null,
    nowTs: NOW_TS,
    ...rest,
  });
  const pageOf = async (wanted: ServerListing, size = 50, cursor: string | null = null) =>
    serverList(database).page(wanted, { direction: 'forward', size, cursor });
  const first = async (filter: ServerFilter, rest: Partial<ServerListing> = {}) =>
    (await pageOf(listing(filter, rest))).rows.map(({ serverName }) => serverName.split('.')[0]);

  it.each([
    ['fresh', ['100%_real', 'a-fresh', 'c-exactly-half']],
    ['due', ['b-due', 'e-ends-now']],
    ['expired', ['d-expired']],
  ] as const)('filters by the state of the newest record: %s', async (state, names) => {
    expect(await first({ state })).toEqual(names);
    for (const direction of ['asc', 'desc'] as const) {
      const sorted = await first({ state }, { sortBy: 'validUntilTs', direction });
      expect(new Set(sorted)).toEqual(new Set(names));
    }
    const { rows } = await pageOf(listing({ state }));
    expect(rows.map((found) => keyStateOf(found, NOW_TS))).toEqual(names.map(() => state));
  });

  it('filters by text, taken literally and whatever its case', async () => {
    expect(await first({ search: 'DUE.ex' })).toEqual(['b-due']);
    expect(await first({ search: '%_' })).toEqual(['100%_real']);
    expect(await first({ search: "'; DROP TABLE remote_server; --" })).toEqual([]);
    expect(await first({ search: 'nul\u0000' })).toEqual([]);
  });

  it('filters by failing, by the whitelist and by a time of expiry', async () => {
    expect(await first({ failing: true })).toEqual(['d-expired', 'f-never']);
    expect(await first({ failing: false })).toHaveLength(5);
    const whitelist = new Set(['b-due.example', 'unknown.example']);
    expect(await first({ federationAllowed: true }, { whitelist })).toEqual(['b-due']);
    expect(await first({ federationAllowed: false }, { whitelist })).toHaveLength(6);
    expect(await first({ federationAllowed: true })).toHaveLength(7);
    expect(await first({ federationAllowed: false })).toEqual([]);
    expect(await first({ federationAllowed: true }, { whitelist: new Set() })).toEqual([]);
    expect(await first({ federationAllowed: false }, { whitelist: new Set() })).toHaveLength(7);
    expect(await first({ validUntilBefore: 10_001 })).toEqual(['d-expired', 'e-ends-now']);
    expect(await first({ failing: true, search: 'never' })).toEqual(['f-never']);
  });

  it.each([
    [
      'validUntilTs',
      'asc',
      ['d-expired', 'e-ends-now', 'b-due', 'c-exactly-half', 'a-fresh', '100%_real', 'f-never'],
    ],
    [
      'addedTs',
      'desc',
      ['a-fresh', 'b-due', '100%_real', 'e-ends-now', 'd-expired', 'c-exactly-half', 'f-never'],
    ],
    [
      'lastFetchTs',
      'asc',
      ['100%_real', 'f-never', 'e-ends-now', 'd-expired', 'c-exactly-half', 'b-due', 'a-fresh'],
    ],
  ] as const)('sorts by %s %s, servers without a value last', async (sortBy, direction, names) => {
    expect(await first({}, { sortBy, direction })).toEqual(names);
  });
});
