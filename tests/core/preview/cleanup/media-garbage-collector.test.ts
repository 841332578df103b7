import { existsSync, mkdirSync, renameSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

import { describe, expect, it } from 'vitest';

import { HOUR_MS } from '../../../../src/core/base/clock.js';
import { testEngines } from '../../../support/store/databases.js';
import { createMediaKit } from '../media/media-kit.js';
import { sampleImage } from '../media/sample-images.js';
import { createCleaner, savePreview } from './cleanup-kit.js';
import { setUpEach } from '../../../support/set-up.js';

const ORPHAN = '2027-01-14_strayStrayStrayS';

describe.each(testEngines())('the garbage collection on %s', (engine) => {
  const kit = setUpEach(() => createMediaKit(engine));

  /** By default when no orphan can have a writer any more. */
  const collector = (laterMs = HOUR_MS) => createCleaner(kit).collect(laterMs);

  function writeOrphan(path: string): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'stray');
    utimesSync(path, kit.clock.now() / 1000, kit.clock.now() / 1000);
  }

  it('removes files, thumbnails and unfinished files without a row, and their empty folders', async () => {
    const kept = await kit.save(await sampleImage(64, 64).png().toBuffer());
    const before = kit.listFiles();
    writeOrphan(kit.file(ORPHAN));
    writeOrphan(kit.thumbnail(ORPHAN, { width: 1, height: 1, method: 'crop', contentType: 'image/png' }));
    writeOrphan(
      kit.thumbnail(kept.mediaId, {
        width: 1,
        height: 1,
        method: 'crop',
        contentType: 'image/png',
      }),
    );
    writeOrphan(kit.at('tmp', 'left-over'));

    expect(await collector()).toMatchObject({
      outcome: 'ok',
      counts: { files_without_row: 1, thumbnails_without_row: 2, temporary_files: 1 },
      bytes: 20,
    });
    expect(kit.listFiles()).toEqual(before);
    for (const folder of ['url_cache', 'url_cache_thumbnails'])
      expect(existsSync(kit.at(folder, '2027-01-14'))).toBe(false);
  });

  it('running all the time while media is stored loses none', async () => {
    const state = { stop: false };
    const collecting = (async () => {
      while (!state.stop) await collector(Date.now() - kit.clock.now());
    })();
    const image = await sampleImage(64, 64).png().toBuffer();
    const saved = await Promise.all(Array.from({ length: 30 }, () => kit.save(image)));
    state.stop = true;
    await collecting;

    for (const { mediaId } of saved) await expect(kit.reader().find(mediaId)).resolves.toBeDefined();
    expect(kit.listFiles()).toHaveLength(120);
    expect(await collector()).toMatchObject({ counts: {} });
  });

  it('marks rows whose file is lost or cut, and forgets the previews made from them', async () => {
    const lost = await savePreview(kit, Buffer.from('lost'), 'text/html');
    const cut = await savePreview(kit, Buffer.from('cut off'), 'text/html');
    const whole = await savePreview(kit, Buffer.from('whole'), 'text/html');
    rmSync(kit.file(lost));
    truncateSync(kit.file(cut), 3);

    expect(await collector()).toMatchObject({ counts: { rows_without_file: 2 } });
    await expect(kit.reader().find(lost)).rejects.toMatchObject({ status: 404 });
    await expect(kit.reader().find(cut)).rejects.toMatchObject({ status: 404 });
    await expect(kit.reader().find(whole)).resolves.toBeDefined();
    expect(await kit.database.client.previewCache.findMany({ select: { mediaId: true } })).toEqual([
      { mediaId: whole },
    ]);
    expect(await collector()).toMatchObject({ counts: {} });
  });

  it('touches no row when the disk is not mounted', async () => {
    const { mediaId } = await kit.save(Buffer.from('page'));
    renameSync(kit.at('url_cache'), kit.at('elsewhere'));

    expect(await collector()).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('mounted'),
    });
    expect((await kit.rows.find(mediaId))!.fileRemovedTs).toBeNull();
  });
});
