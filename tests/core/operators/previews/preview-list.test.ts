import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { openDatabase, type Database } from '../../../../src/core/store/db.js';
import { createLogger } from '../../../../src/core/base/logger.js';
import {
  type PreviewFilter,
  previewList,
  type WantedPreviews,
} from '../../../../src/core/operators/previews/previews.js';
import { PreviewStore } from '../../../../src/core/preview/pipeline/preview-store.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../../../support/store/databases.js';
import { ManualClock } from '../../../support/manual-clock.js';

interface Sample {
  url: string;
  title: string | null;
  responseCode: number;
  createdTs: number;
  expiresTs: number;
  hasImage: boolean;
}

const START_TS = 1_700_000_000_000;
const SAMPLES: Sample[] = Array.from({ length: 40 }, (_, index) => ({
  url: `https://host-${index % 3}.test/${String.fromCharCode(97 + (index % 7))}/${index}?q=hidden${index}`,
  title: index % 5 === 0 ? null : `Title ${index} 100%_`,
  responseCode: index % 4 === 0 ? 203 : 200,
  createdTs: START_TS + (index % 10) * 1000,
  expiresTs: START_TS + ((index * 17) % 40) * 1000,
  hasImage: index % 2 === 0,
}));
const SORTS = ['createdTs', 'expiresTs'] as const;
const FILTERS: [PreviewFilter, (sample: Sample, nowTs: number) => boolean][] = [
  [{}, () => true],
  [{ host: 'HOST-1.test' }, ({ url }) => url.includes('host-1.')],
  [{ state: 'fresh' }, ({ expiresTs }, nowTs) => expiresTs > nowTs],
  [{ state: 'expired' }, ({ expiresTs }, nowTs) => expiresTs <= nowTs],
  [{ responseCode: 203 }, ({ responseCode }) => responseCode === 203],
  [{ createdAfter: START_TS + 5000 }, ({ createdTs }) => createdTs >= START_TS + 5000],
  [{ createdBefore: START_TS + 5000 }, ({ createdTs }) => createdTs < START_TS + 5000],
  [{ hasImage: true }, ({ hasImage }) => hasImage],
  [{ empty: true }, ({ title, hasImage }) => title === null && !hasImage],
  [{ search: 'TITLE 1' }, ({ title }) => title?.startsWith('Title 1') ?? false],
  [{ search: '100%_' }, ({ title }) => title !== null],
  [{ search: '100_%' }, () => false],
  [{ search: 'hidden3' }, ({ url }) => url.includes('hidden3')],
  [{ search: 'hidden3', hidesQueries: true }, () => false],
  [{ search: '/c/', hidesQueries: true }, ({ url }) => url.includes('/c/')],
  [{ host: 'host-2.test', hasImage: false, search: 'title' }, (sample) => isThird(sample)],
];

function isThird({ url, hasImage, title }: Sample): boolean {
  return url.includes('host-2.') && !hasImage && title !== null;
}

describe.each(testEngines())('the list of stored previews on %s', (engine) => {
  const clock = new ManualClock(START_TS + 20_000);
  let files: TestDatabase;
  let database: Database;
  let list: ReturnType<typeof previewList>;

  beforeAll(async () => {
    files = await createTestDatabase(engine);
    database = await openDatabase(files.options, createLogger({ level: 'silent' }));
    list = previewList(database, clock);
    const store = new PreviewStore(database);
    for (const { title, hasImage, ...sample } of SAMPLES) {
      const openGraph = JSON.stringify({
        ...(title === null ? {} : { 'og:title': title }),
        ...(hasImage ? { 'og:image': 'svc://notary.test/2026-11-21_abcdefghijklmnop' } : {}),
      });
      await store.save({ ...sample, openGraph, etag: null, mediaId: 'm', downloadTs: sample.createdTs });
    }
  });
  afterAll(async () => {
    await database.close();
    await files.cleanup();
  });

  async function walk(wanted: WantedPreviews): Promise<string[]> {
    const urls: string[] = [];
    for (let cursor: string | null = null; ;) {
      const page = await list.page(wanted, { direction: 'forward', size: 7, cursor });
      urls.push(...page.rows.map((row) => row.url));
      if (!page.hasNextPage) return urls;
      cursor = page.endCursor;
    }
  }

  it.each(SORTS)('sorted by %s gives with every filter what it should, page by page', async (sortBy) => {
    for (const [filter, accepts] of FILTERS) {
      const expected = SAMPLES.filter((sample) => accepts(sample, clock.now()));
      for (const direction of ['asc', 'desc'] as const) {
        const urls = await walk({ filter, sortBy, direction });

        expect({ filter, urls: urls.toSorted() }).toEqual({
          filter,
          urls: expected.map(({ url }) => url).toSorted(),
        });
        const byUrl = new Map(SAMPLES.map((sample) => [sample.url, sample[sortBy]]));
        const values = urls.map((url) => byUrl.get(url) ?? 0);
        const sorted = values.toSorted((a, b) => a - b);
        expect(values).toEqual(direction === 'asc' ? sorted : sorted.toReversed());
      }
      const wanted = { filter, sortBy, direction: 'asc' } as const;
      expect(await list.count(wanted)).toBe(expected.length);
      expect(await list.countAll(wanted)).toBe(expected.length);
    }
  });
});
