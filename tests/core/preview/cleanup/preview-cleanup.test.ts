import { mkdirSync, rmSync, writeFileSync } from 'node:fs';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { DAY_MS, HOUR_MS } from '../../../../src/core/base/clock.js';
import { testEngines } from '../../../support/store/databases.js';
import { createMediaKit, type MediaKit } from '../media/media-kit.js';
import { sampleImage } from '../media/sample-images.js';
import { createCleaner, savePreview, savePreviewRow, type Cleaner } from './cleanup-kit.js';

const PAGE = Buffer.from('<html>');

describe.each(testEngines())('cleanup (SPEC §4.8) on %s', (engine) => {
  let kit: MediaKit;
  let cleaner: Cleaner;

  beforeEach(async () => {
    kit = await createMediaKit(engine);
    cleaner = createCleaner(kit);
  });

  afterEach(() => kit.remove());

  const clean = () => cleaner.clean();

  const wait = (ms: number): void => kit.clock.advance(ms);

  async function rowCounts(): Promise<{ previews: number; media: number; thumbnails: number }> {
    const { previewCache, media, mediaThumbnail } = kit.database.client;
    return {
      previews: await previewCache.count(),
      media: await media.count(),
      thumbnails: await mediaThumbnail.count(),
    };
  }

  it('an expired entry goes with its page; its media row stays', async () => {
    const mediaId = await savePreview(kit, PAGE, 'text/html');
    wait(HOUR_MS + 1);

    const report = await clean();

    expect(report).toMatchObject({ outcome: 'ok', counts: { previews: 1, files: 1 }, bytes: PAGE.length });
    expect(kit.listFiles()).toEqual([]);
    expect(await rowCounts()).toEqual({ previews: 0, media: 1, thumbnails: 0 });
    expect((await kit.rows.find(mediaId))!.fileRemovedTs).toBe(kit.clock.now());
  });

  it('is due when something would go, and counts as done when not', async () => {
    const { cleanup } = cleaner;
    const isDue = () => cleanup.isDue(kit.clock.now());
    await savePreview(kit, PAGE, 'text/html');
    wait(HOUR_MS);
    expect(await isDue()).toBe(false);
    expect(cleanup.runs.last).toMatchObject({ outcome: 'ok', startedTs: kit.clock.now() });
    wait(1);
    expect(await isDue()).toBe(true);
    await clean();
    expect(await isDue()).toBe(false);

    wait(2 * DAY_MS);
    expect(await isDue()).toBe(true);
    await clean();
    expect(await isDue()).toBe(false);
    expect(await rowCounts()).toEqual({ previews: 0, media: 0, thumbnails: 0 });
  });

  it('the original of a direct image preview stays as long as its row', async () => {
    const mediaId = await savePreview(kit, await sampleImage(64, 64).png().toBuffer(), 'image/png');
    wait(HOUR_MS + 1);
    await clean();

    expect(await rowCounts()).toEqual({ previews: 0, media: 1, thumbnails: 3 });
    await expect(kit.reader().find(mediaId)).resolves.toBeDefined();

    wait(2 * DAY_MS);
    await clean();

    expect(await rowCounts()).toEqual({ previews: 0, media: 0, thumbnails: 0 });
    expect(kit.listFiles()).toEqual([]);
  });

  it('any other file error keeps the rows for the next run, and says so once an hour', async () => {
    const mediaId = await savePreview(kit, PAGE, 'text/html');
    await savePreview(kit, PAGE, 'text/html');
    const path = kit.file(mediaId);
    rmSync(path);
    // A folder in its place cannot be unlinked, not even by root.
    mkdirSync(path);
    wait(HOUR_MS + 1);

    expect(await clean()).toMatchObject({ outcome: 'failed', counts: { previews: 1, kept: 1 } });
    await clean();
    await clean();
    expect(await rowCounts()).toMatchObject({ previews: 1, media: 2 });
    expect(await cleaner.runs.list('preview_cleanup', 10)).toHaveLength(1);

    rmSync(path, { recursive: true });
    expect(await clean()).toMatchObject({ outcome: 'ok', counts: { previews: 1 } });
  });

  it('ends between two batches when cancelled; the oldest are gone', async () => {
    const nowTs = kit.clock.now();
    await kit.database.client.previewCache.createMany({ data: previewRows(1200, nowTs) });
    wait(HOUR_MS * 2);
    const renew = cleaner.store.takeLease.bind(cleaner.store);
    let steps = 0;
    cleaner.store.takeLease = async (job) => {
      steps += 1;
      // The first is for the run itself, the others for its batches.
      if (steps === 2) void cleaner.runner.close();
      return renew(job);
    };

    const report = await clean();

    expect(report).toMatchObject({ outcome: 'cancelled', counts: { previews: 1000 } });
    expect(await kit.database.client.previewCache.findFirst({ orderBy: { expiresTs: 'asc' } })).toMatchObject(
      {
        expiresTs: BigInt(nowTs + 1000),
      },
    );
  });

  it('removes folders that are empty then, and leaves unmanaged files alone', async () => {
    const mediaId = await savePreview(kit, await sampleImage(64, 64).png().toBuffer(), 'image/png');
    const day = mediaId.slice(0, 10);
    writeFileSync(kit.at('url_cache', day, 'unmanaged'), '');
    wait(3 * DAY_MS);

    await clean();

    expect(kit.listFiles()).toEqual([`url_cache/${day}/unmanaged`]);
  });

  it('forgets refused addresses past their retention', async () => {
    const hit = { ts: BigInt(kit.clock.now()), url: 'https://a.test/', stage: 'target', rule: '{}' };
    await kit.database.client.blacklistHit.create({ data: hit });
    wait(30 * DAY_MS);
    await clean();
    expect(await kit.database.client.blacklistHit.count()).toBe(1);
    wait(1);
    await clean();
    expect(await kit.database.client.blacklistHit.count()).toBe(0);
  });

  it('a database that fails is reported, not thrown', async () => {
    await savePreviewRow(kit, 'x');
    wait(2 * HOUR_MS);
    await kit.database.client.$executeRawUnsafe('DROP TABLE preview_cache');

    expect(await clean()).toMatchObject({ outcome: 'failed' });
    expect(await cleaner.runs.list('preview_cleanup', 10)).toMatchObject([{ outcome: 'failed' }]);
  });
});

function previewRows(count: number, nowTs: number) {
  return Array.from({ length: count }, (_, index) => ({
    url: `https://pages.test/${index}`,
    urlSha256: 'x',
    responseCode: 200,
    expiresTs: BigInt(nowTs + index),
    openGraph: '{}',
    mediaId: `2027-01-15_${'x'.repeat(16)}`,
    createdTs: BigInt(nowTs),
    downloadTs: BigInt(nowTs),
  }));
}
