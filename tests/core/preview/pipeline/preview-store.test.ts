import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { openDatabase, type Database } from '../../../../src/core/store/db.js';
import { createLogger } from '../../../../src/core/base/logger.js';
import {
  PreviewStore,
  isUsable,
  type NewPreview,
  type StoredPreview,
} from '../../../../src/core/preview/pipeline/preview-store.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../../../support/store/databases.js';

describe.each(testEngines())('PreviewStore on %s', (engine) => {
  let files: TestDatabase;
  let database: Database;
  let store: PreviewStore;

  beforeAll(async () => {
    files = await createTestDatabase(engine);
    database = await openDatabase(files.options, createLogger({ level: 'silent' }));
    store = new PreviewStore(database);
  });

  afterAll(async () => {
    await database.close();
    await files.cleanup();
  });

  const save = (url: string, downloadTs: number, rest: Partial<NewPreview> = {}) =>
    store.save({
      url,
      downloadTs,
      createdTs: downloadTs,
      expiresTs: downloadTs + 1000,
      responseCode: 200,
      etag: null,
      openGraph: '{}',
      mediaId: 'm',
      ...rest,
    });

  it('chooses the newest row at or before ts, else the oldest after it', async () => {
    const url = 'https://rows.test/';
    for (const downloadTs of [1000, 2000, 3000])
      await save(url, downloadTs, { openGraph: `{"t":${downloadTs}}` });

    const chosen = await Promise.all([500, 1000, 1999, 2000, 99_999].map((ts) => store.findAt(url, ts)));

    expect(chosen.map((row) => row?.downloadTs)).toEqual([1000, 1000, 1000, 2000, 3000]);
  });

  it('gives the stored JSON back byte for byte, for addresses of any length', async () => {
    const url = `https://long.test/${'ä'.repeat(9000)}`;
    const openGraph = '{ "og:title":  "\\u00e4 ü 😀", "n":1.0 }';
    await save(url, 1, { openGraph, etag: 'W/"x"' });

    expect(await store.findAt(url, 1)).toMatchObject({ url, openGraph, etag: 'W/"x"' });
  });

  it.each([
    [200, 1000, true],
    [299, 1000, true],
    [199, 1000, false],
    [300, 1000, false],
    [404, 1000, false],
    [200, 1001, false],
  ])(
    'a row with code %i and expiry 1001 ms is usable for ts %i: %s (SPEC §4.7.3)',
    (responseCode, ts, usable) => {
      const row = { responseCode, expiresTs: 1001 } as StoredPreview;

      expect(isUsable(row, ts)).toBe(usable);
    },
  );
});
