import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import {
  type BlockHit,
  hitList,
  hitsByRule,
  type HitFilter,
} from '../../../../src/core/operators/blocking/block-hits.js';
import { BlacklistHitStore } from '../../../../src/core/preview/pipeline/blacklist-hits.js';
import { openDatabase, type Database } from '../../../../src/core/store/db.js';
import type { PageRequest, RecordList } from '../../../../src/core/store/lists/record-list.js';
import { systemClock } from '../../../../src/core/base/clock.js';
import { createLogger } from '../../../../src/core/base/logger.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../../../support/store/databases.js';

describe.each(testEngines())('refused addresses on %s', (engine) => {
  let place: TestDatabase;
  let database: Database;
  let hits: RecordList<HitFilter, number, BlockHit>;

  beforeEach(async () => {
    place = await createTestDatabase(engine);
    database = await openDatabase(place.options, createLogger({ level: 'silent' }));
    hits = hitList(database);
    await database.client.blacklistHit.createMany({
      data: Array.from({ length: 30 }, (_, at) => ({
        ts: BigInt(1000 + at),
        url: `https://site${at % 3}.test/%_${at}?q=${at}`,
        stage: ['target', 'redirect', 'oembed', 'image'][at % 4]!,
        rule: at % 5 === 0 ? 'url_preview_ip_range_blacklist: 10.0.0.0/8' : '{"hostname":"*.test"}',
        address: at % 5 === 0 ? '10.0.0.1' : null,
        userId: '@alice:test',
        requestId: `request-${at}`,
      })),
    });
  });
  afterEach(async () => {
    await database.close();
    await place.cleanup();
  });

  const first = (size: number): PageRequest => ({ direction: 'forward', size, cursor: null });
  const found = async (filter: HitFilter) => {
    const { rows } = await hits.page(filter, first(100));
    return rows.map((row) => row.ts - 1000);
  };

  it('come newest first in pages, each once, while others arrive', async () => {
    const seen: number[] = [];
    let request = first(7);
    for (;;) {
      const page = await hits.page({}, request);
      seen.push(...page.rows.map((row) => row.ts - 1000));
      await database.client.blacklistHit.create({
        data: { ts: 9999n, url: 'https://new.test/', stage: 'target', rule: 'r' },
      });
      if (!page.hasNextPage) break;
      request = { ...request, cursor: page.endCursor };
    }

    expect(seen).toEqual(Array.from({ length: 30 }, (_, at) => 29 - at));
  });

  it.each<[string, HitFilter, number[]]>([
    ['rule', { rule: 'url_preview_ip_range_blacklist: 10.0.0.0/8' }, [25, 20, 15, 10, 5, 0]],
    ['kind', { byAddress: true, stage: 'target' }, [20, 0]],
    ['stage', { stage: 'image', after: 1020 }, [27, 23]],
    ['time', { after: 1003, before: 1005 }, [4, 3]],
    ['text in the URL, wildcards plain', { search: '%_12' }, [12]],
    ['text in the address', { search: '10.0.0.1', before: 1006 }, [5, 0]],
    ['request', { search: 'REQUEST-29' }, [29]],
    ['a rule that refused nothing', { rule: 'none' }, []],
  ])('are filtered by %s', async (_, filter, expected) => {
    expect(await found(filter)).toEqual(expected);
    expect(await hits.count(filter)).toBe(expected.length);
  });

  it('tell how often and when last each rule refused', async () => {
    const rules = await hitsByRule(database);
    expect(rules.toSorted((a, b) => a.hits - b.hits)).toEqual([
      { rule: 'url_preview_ip_range_blacklist: 10.0.0.0/8', hits: 6, lastTs: 1025 },
      { rule: '{"hostname":"*.test"}', hits: 24, lastTs: 1029 },
    ]);
  });

  it('of a time are deleted a bounded number at once', async () => {
    const logger = createLogger({ level: 'silent' });
    const store = new BlacklistHitStore(database, systemClock, logger);

    expect(await store.prune(1020, 15)).toBe(15);
    expect(await store.prune(1020, 15)).toBe(5);
    expect(await found({})).toEqual([29, 28, 27, 26, 25, 24, 23, 22, 21, 20]);
  });
});
