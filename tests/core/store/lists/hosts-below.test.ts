import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { systemClock } from '../../../../src/core/base/clock.js';
import { createLogger } from '../../../../src/core/base/logger.js';
import { hitList } from '../../../../src/core/operators/blocking/block-hits.js';
import { mediaList } from '../../../../src/core/operators/media/media.js';
import { previewList } from '../../../../src/core/operators/previews/previews.js';
import { MediaRowStore } from '../../../../src/core/preview/media/media-store.js';
import { BlacklistHitStore } from '../../../../src/core/preview/pipeline/blacklist-hits.js';
import { PreviewStore } from '../../../../src/core/preview/pipeline/preview-store.js';
import { openDatabase, type Database } from '../../../../src/core/store/db.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../../../support/store/databases.js';

const HOSTS = [
  'evil.example',
  'www.evil.example.',
  'a.b.evil.example',
  'notevil.example',
  'evil.example.org',
  'WWW.Other.example',
  'e_il.example',
  'localhost',
  '127.0.0.1',
  '[::1]',
];
const EVIL = ['evil.example'];
const BELOW = ['a.b.evil.example', 'www.evil.example'];
const WANTED: [string, readonly string[]][] = [
  ['evil.example', EVIL],
  ['*.evil.example', BELOW],
  ['.evil.example', [...BELOW, ...EVIL].toSorted()],
  ['.b.evil.example', ['a.b.evil.example']],
  ['.e_il.example', ['e_il.example']],
  ['localhost', ['localhost']],
  ['127.0.0.1', ['127.0.0.1']],
  ['.', []],
];

describe.each(testEngines())('hosts and those below them, on %s', (engine) => {
  let files: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    files = await createTestDatabase(engine);
    const logger = createLogger({ level: 'silent' });
    database = await openDatabase(files.options, logger);
    const previews = new PreviewStore(database);
    const media = new MediaRowStore(database);
    const hits = new BlacklistHitStore(database, systemClock, logger);
    for (const [index, host] of HOSTS.entries()) {
      const url = `http://${host}/page?q=${index}`;
      const times = { createdTs: 1000 + index, expiresTs: 2000, downloadTs: 1000 + index };
      const mediaId = `2026-11-21_aaaaaaaaaaaaaa${String(index).padStart(2, 'a')}`;
      await previews.save({ url, responseCode: 200, etag: null, openGraph: '{}', mediaId, ...times });
      await media.insert(mediaRow(mediaId, url));
      hits.record({ url, stage: 'target', rule: 'r', address: null, userId: null, requestId: '' });
    }
    await hits.flush();
  });
  afterAll(async () => {
    await database.close();
    await files.cleanup();
  });

  const first = { direction: 'forward', size: 100, cursor: null } as const;
  const hostsOf = (urls: readonly (string | null)[]): string[] =>
    urls.map((url) => new URL(url ?? '').hostname.replace(/\.$/, '')).toSorted();

  it.each(WANTED)('%j finds the previews, media and refusals of %j', async (host, wanted) => {
    const previews = previewList(database, systemClock);
    const media = mediaList(database);
    const asked = { filter: { host } };

    const found = [
      (await previews.page(asked, first)).rows.map((row) => row.url),
      (await media.page(asked, first)).rows.map((row) => row.urlCache),
      (await hitList(database).page({ host }, first)).rows.map((row) => row.url),
    ];

    expect(found.map(hostsOf)).toEqual([wanted, wanted, wanted]);
    expect(await previews.countAll(asked)).toBe(wanted.length);
    expect(await media.count(asked)).toBe(wanted.length);
  });
});

function mediaRow(mediaId: string, url: string) {
  return {
    mediaId,
    userId: '@a:test',
    createdTs: 1000,
    contentType: 'text/html',
    sniffedType: null,
    sizeBytes: 10,
    sha256: 'x',
    uploadName: null,
    urlCache: url,
    width: null,
    height: null,
    lastAccessTs: null,
    fileRemovedTs: null,
    missingSinceTs: null,
  };
}
