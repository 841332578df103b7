import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { openDatabase, type Database } from '../../../../src/core/store/db.js';
import { createLogger } from '../../../../src/core/base/logger.js';
import { type MediaFilter, mediaList, type WantedMedia } from '../../../../src/core/operators/media/media.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../../../support/store/databases.js';

const ROWS = 40;
const START_TS = 1_700_000_000_000;

interface Sample {
  index: number;
  mediaId: string;
  sizeBytes: number;
  createdTs: number;
}
const SAMPLES: Sample[] = Array.from({ length: ROWS }, (_, index) => ({
  index,
  mediaId: `2026-11-21_${'a'.repeat(14)}${String.fromCharCode(97 + Math.floor(index / 10), 97 + (index % 10))}`,
  sizeBytes: (index * 13) % ROWS,
  createdTs: START_TS + (index % 7) * 1000,
}));

const FILTERS: [MediaFilter, (sample: Sample) => boolean][] = [
  [{}, () => true],
  [{ owner: '@u1:test' }, ({ index }) => index % 2 === 1],
  [{ host: 'h2.test' }, ({ index }) => index % 3 === 2],
  [{ owner: '@u1:test', host: 'h2.test' }, ({ index }) => index % 2 === 1 && index % 3 === 2],
  [{ contentType: 'IMAGE/' }, ({ index }) => index % 4 === 0],
  [{ contentType: 'age/' }, () => false],
  [{ createdAfter: START_TS + 3000, createdBefore: START_TS + 5000 }, between],
  [{ fileState: 'missing' }, ({ index }) => index % 10 === 1],
  [{ fileState: 'removed' }, ({ index }) => index % 10 === 2],
  [{ fileState: 'present' }, ({ index }) => index % 10 > 2 || index % 10 === 0],
  [{ search: 'aaab' }, ({ mediaId }) => mediaId.includes('aaab')],
  [{ search: 'NAME-3' }, ({ index }) => String(index).startsWith('3')],
  [{ search: 'secret7' }, ({ index }) => index === 7],
  [{ search: 'secret7', hidesQueries: true }, () => false],
];

function between({ createdTs }: Sample): boolean {
  return createdTs >= START_TS + 3000 && createdTs < START_TS + 5000;
}

describe.each(testEngines())('the list of media on %s', (engine) => {
  let files: TestDatabase;
  let database: Database;
  let list: ReturnType<typeof mediaList>;

  beforeAll(async () => {
    files = await createTestDatabase(engine);
    database = await openDatabase(files.options, createLogger({ level: 'silent' }));
    list = mediaList(database);
    await database.client.media.createMany({
      data: SAMPLES.map(({ index, mediaId, sizeBytes, createdTs }) => ({
        mediaId,
        userId: `@u${index % 2}:test`,
        createdTs: BigInt(createdTs),
        contentType: index % 4 === 0 ? 'image/png' : 'text/html',
        sizeBytes,
        sha256: '',
        uploadName: `name-${index}`,
        urlCache: `https://h${index % 3}.test/?secret${index}`,
        host: `h${index % 3}.test`,
        missingSinceTs: index % 10 === 1 ? 1n : null,
        fileRemovedTs: index % 10 === 2 ? 1n : null,
      })),
    });
  });
  afterAll(async () => {
    await database.close();
    await files.cleanup();
  });

  async function walk(wanted: WantedMedia): Promise<string[]> {
    const found: string[] = [];
    for (let cursor: string | null = null; ;) {
      const page = await list.page(wanted, { direction: 'forward', size: 7, cursor });
      found.push(...page.rows.map((row) => row.mediaId));
      if (!page.hasNextPage) return found;
      cursor = page.endCursor;
    }
  }

  it.each(['createdTs', 'sizeBytes'] as const)(
    'sorted by %s gives with every filter what it should',
    async (sortBy) => {
      for (const [filter, accepts] of FILTERS) {
        const expected = SAMPLES.filter(accepts)
          .toSorted((a, b) => a[sortBy] - b[sortBy] || (a.mediaId < b.mediaId ? -1 : 1))
          .map(({ mediaId }) => mediaId);

        expect({ filter, found: await walk({ filter, sortBy, direction: 'asc' }) }).toEqual({
          filter,
          found: expected,
        });
        expect(await walk({ filter, sortBy, direction: 'desc' })).toEqual(expected.toReversed());
        expect(await list.countAll({ filter, sortBy })).toBe(expected.length);
      }
    },
  );
});
