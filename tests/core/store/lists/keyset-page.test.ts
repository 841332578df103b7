import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { openDatabase, type Database } from '../../../../src/core/store/db.js';
import { writeCursor } from '../../../../src/core/store/lists/keyset-cursor.js';
import {
  RecordList,
  type Listing,
  type Page,
  type PageRequest,
  type WindowLimits,
} from '../../../../src/core/store/lists/record-list.js';
import { anyContains } from '../../../../src/core/store/lists/keyset-filter.js';
import { ApiError } from '../../../../src/core/base/errors/api-error.js';
import { createLogger } from '../../../../src/core/base/logger.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../../../support/store/databases.js';

type SortField = 'serverName' | 'lastFetchTs' | 'failCount' | 'validUntilTs';

const NULLABLE = new Set<SortField>(['lastFetchTs', 'validUntilTs']);
const LAST_MS = 2n ** 63n - 1n;

function listing(
  name: SortField,
  direction: 'asc' | 'desc',
  conditions: Listing['conditions'] = [],
): Listing {
  return {
    model: 'remoteServer',
    sort: {
      name,
      isText: name === 'serverName',
      isNullable: NULLABLE.has(name),
      direction,
    },
    key: { name: 'serverName', isText: true },
    conditions,
  };
}

const forward = (size: number, cursor: string | null = null): PageRequest => ({
  direction: 'forward',
  size,
  cursor,
});
const names = (page: Page<{ serverName: string }>): string[] => page.rows.map(({ serverName }) => serverName);

describe.each(testEngines())('keyset pages on %s', (engine) => {
  let files: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    files = await createTestDatabase(engine);
    database = await openDatabase(files.options, createLogger({ level: 'silent' }));
  });

  afterAll(async () => {
    await database.close();
    await files.cleanup();
  });

  const listOf = (list: Listing) =>
    new RecordList(database, {
      listing: () => list,
      find: (keys: readonly string[]) =>
        database.client.remoteServer.findMany({ where: { serverName: { in: [...keys] } } }),
      keyOf: ({ serverName }) => serverName,
    });
  const findPage = (list: Listing, request: PageRequest, limits: Partial<WindowLimits> = {}) =>
    listOf(list).page(null, request, limits);

  /** Fills the table with `s000`, `s001` …; every third was never fetched, and fetch times repeat. */
  async function fill(count: number): Promise<void> {
    await database.client.remoteServer.deleteMany();
    await database.client.remoteServer.createMany({
      data: Array.from({ length: count }, (_, index) => row(`s${String(index).padStart(3, '0')}`, index)),
    });
  }

  function row(serverName: string, index: number) {
    return {
      serverName,
      firstAskedTs: 1n,
      lastFetchTs: index % 3 === 0 ? null : BigInt(1000 + (index % 7)),
      validUntilTs: index % 5 === 0 ? LAST_MS : BigInt(index),
      failCount: index % 4,
    };
  }

  async function all(list: Listing, size: number, limits: Partial<WindowLimits> = {}): Promise<string[]> {
    const seen: string[] = [];
    for (let cursor: string | null = null; ;) {
      const page: Awaited<ReturnType<typeof findPage>> = await findPage(list, forward(size, cursor), limits);
      seen.push(...names(page));
      if (!page.hasNextPage) return seen;
      cursor = page.endCursor;
    }
  }

  const ORDERS: [SortField, 'asc' | 'desc'][] = [
    ['serverName', 'asc'],
    ['serverName', 'desc'],
    ['lastFetchTs', 'asc'],
    ['lastFetchTs', 'desc'],
    ['validUntilTs', 'desc'],
    ['failCount', 'asc'],
  ];

  it.each(ORDERS)(
    'sorted by %s %s: pages of any size hold every row once, NULL last',
    async (column, direction) => {
      await fill(40);
      const rows = await database.client.remoteServer.findMany();
      const valueOf = (entry: (typeof rows)[number]): bigint | number | string | null => entry[column];
      const sign = direction === 'asc' ? 1 : -1;
      const expected = rows
        .toSorted((a, b) => {
          const [left, right] = [valueOf(a), valueOf(b)];
          if (left === null || right === null) {
            if (left !== right) return left === null ? 1 : -1;
          } else if (left !== right) return left < right ? -sign : sign;
          return a.serverName < b.serverName ? -sign : sign;
        })
        .map(({ serverName }) => serverName);

      for (const size of [1, 7, 40, 41])
        expect(await all(listing(column, direction), size)).toEqual(expected);
    },
  );

  it('pages backward to the same pages', async () => {
    await fill(20);
    const list = listing('lastFetchTs', 'desc');
    const whole = await all(list, 100);
    const last = await findPage(list, { direction: 'backward', size: 6, cursor: null });
    const before = await findPage(list, {
      direction: 'backward',
      size: 6,
      cursor: last.startCursor,
    });
    const first = await findPage(list, {
      direction: 'backward',
      size: 10,
      cursor: before.startCursor,
    });

    expect(names(last)).toEqual(whole.slice(14));
    expect(names(before)).toEqual(whole.slice(8, 14));
    expect(names(first)).toEqual(whole.slice(0, 8));
    expect([last.hasPreviousPage, last.hasNextPage]).toEqual([true, false]);
    expect([first.hasPreviousPage, first.hasNextPage]).toEqual([false, true]);
  });

  it.each([
    ['serverName', 'asc'],
    ['lastFetchTs', 'desc'],
  ] as const)('by %s %s: a search through windows finds what one look would', async (column, direction) => {
    await fill(60);
    const condition = anyContains(engine, { fields: ['serverName'] }, '5');
    const list = listing(column, direction, [condition]);
    const expected = (await all(listing(column, direction), 100)).filter((name) => name.includes('5'));

    for (const windowRows of [1, 4, 60]) {
      const limits = { windowRows, windows: 3 };
      expect(await all(list, 3, limits)).toEqual(expected);
    }
  });

  it('a search that finds nothing for long ends early and goes on from there', async () => {
    await fill(30);
    const list = listing('serverName', 'asc', [{ where: { serverName: 's029' } }]);
    const limits = { windowRows: 5, windows: 2 };
    const page = await findPage(list, forward(5), limits);

    expect(names(page)).toEqual([]);
    expect(page.hasNextPage).toBe(true);
    expect(page.endCursor).toBe(writeCursor(list, { sort: 's009', key: 's009' }));
  });

  it('while rows come and go, those that stay are seen once each', async () => {
    await fill(120);
    const stays = (name: string): boolean => /^s\d*[02468]$/.test(name);
    const list = listing('lastFetchTs', 'asc', [{ where: { failCount: { lt: 3 } } }]);
    const expected = (await all(list, 100)).filter(stays);
    const reader = { hasEnded: false };
    const churn = (async () => {
      for (let index = 0; !reader.hasEnded && index < 300; index += 1) {
        const odd = `s${String((index * 2 + 1) % 120).padStart(3, '0')}`;
        await database.client.remoteServer.deleteMany({ where: { serverName: odd } });
        await database.client.remoteServer.create({ data: row(`new${index}`, index * 11) });
      }
    })();
    const limits = { windowRows: 4, windows: 3 };
    const seen = await all(list, 5, limits);
    reader.hasEnded = true;
    await churn;

    expect(seen.filter(stays)).toEqual(expected);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('counts, and says when it stopped counting', async () => {
    await fill(30);
    const some = listing('serverName', 'asc', [{ where: { failCount: 0 } }]);
    const limits = { windowRows: 10, windows: 2 };

    expect(await listOf(listing('serverName', 'asc')).count(null)).toBe(30);
    expect(await listOf(some).count(null)).toBe(8);
    expect(await listOf(some).count(null, limits)).toBe(5);
  });

  it.each([
    ['of another order', writeCursor(listing('serverName', 'desc'), { sort: 'a', key: 'a' })],
    ['no base64', '%%%'],
    ['a number too great', cursorOf('9223372036854775808', 'a')],
    ['a value where SQL is hoped for', cursorOf('1); DROP TABLE remote_server --', 'a')],
    ['far too long', 'a'.repeat(5000)],
  ])('a cursor that is %s is refused with 400', async (_, cursor) => {
    const failure = await findPage(listing('lastFetchTs', 'asc'), forward(5, cursor)).catch(
      (error: unknown) => error,
    );

    expect(failure).toBeInstanceOf(ApiError);
    expect((failure as ApiError).status).toBe(400);
  });
});

function cursorOf(sort: string | null, key: string): string {
  return Buffer.from(JSON.stringify(['remoteServer.lastFetchTs.asc', sort, key])).toString('base64url');
}
