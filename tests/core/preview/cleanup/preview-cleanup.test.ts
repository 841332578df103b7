import { mkdirSync, rmSync, writeFileSync } from 'node:fs';

import { beforeEach, describe, expect, it } from 'vitest';

import { DAY_MS, HOUR_MS } from '../../../../src/core/base/clock.js';
import { testEngines } from '../../../support/store/databases.js';
import { createMediaKit } from '../media/media-kit.js';
import { sampleImage } from '../media/sample-images.js';
import { createCleaner, savePreview, type Cleaner } from './cleanup-kit.js';
import { setUpEach } from '../../../support/set-up.js';

const PAGE = Buffer.from('<html>');

describe.each(testEngines())('cleanup (SPEC §4.8) on %s', (engine) => {
  const kit = setUpEach(() => createMediaKit(engine));
  let cleaner: Cleaner;

  beforeEach(async () => {
    cleaner = createCleaner(kit);
  });

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
    expect(await kit.database.client.jobRun.findMany()).toHaveLength(1);

    rmSync(path, { recursive: true });
    expect(await clean()).toMatchObject({ outcome: 'ok', counts: { previews: 1 } });
  });

  it('removes folders that are empty then, and leaves unmanaged files alone', async () => {
    const mediaId = await savePreview(kit, await sampleImage(64, 64).png().toBuffer(), 'image/png');
    const day = mediaId.slice(0, 10);
    writeFileSync(kit.at('url_cache', day, 'unmanaged'), '');
    wait(3 * DAY_MS);

    await clean();

    expect(kit.listFiles()).toEqual([`url_cache/${day}/unmanaged`]);
  });
});
