import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

import { describe, expect, it } from 'vitest';

import { HOUR_MS } from '../../../../src/core/base/clock.js';
import { testEngines } from '../../../support/store/databases.js';
import { createMediaKit } from '../media/media-kit.js';
import { sampleImage } from '../media/sample-images.js';
import { createCleaner } from './cleanup-kit.js';
import { setUpEach } from '../../../support/set-up.js';

const DAY = '2027-01-15';
const ORPHAN = 'strayStrayStrayS';
const THUMBNAIL = '32-32-image-png-crop';

describe.each(testEngines())('what stands below media_store_path and is no media, on %s', (engine) => {
  const kit = setUpEach(() => createMediaKit(engine));

  const collector = () => createCleaner(kit).collect(HOUR_MS);

  /** A file, or with a slash at its end a folder. */
  function put(place: string): void {
    const path = kit.at(place);
    mkdirSync(place.endsWith('/') ? path : dirname(path), { recursive: true });
    if (place.endsWith('/')) return;
    writeFileSync(path, 'odd');
    utimesSync(path, kit.clock.now() / 1000, kit.clock.now() / 1000);
  }

  it.each([
    ['a file where the folder of a media’s thumbnails belongs', `url_cache_thumbnails/${DAY}/${ORPHAN}`],
    ['a file beside the days', 'url_cache/notes.txt'],
    ['a folder among thumbnails', `url_cache_thumbnails/${DAY}/${ORPHAN}/${THUMBNAIL}/`],
    ['a folder among temporary files', 'tmp/folder/inner'],
  ])('%s is told, stays, and holds nothing up', async (_name, place) => {
    const { mediaId } = await kit.save(Buffer.from('lost'));
    await kit.save(await sampleImage(64, 64).png().toBuffer());
    put(place);
    put(`tmp/left-over`);
    put(`url_cache/${DAY}/anotherStrayyyyy`);
    rmSync(kit.file(mediaId));

    expect(await collector()).toMatchObject({
      outcome: 'ok',
      counts: { foreign_files: 1, temporary_files: 1, files_without_row: 1, rows_without_file: 1 },
    });
    expect(existsSync(kit.at(place))).toBe(true);
    const warnings = kit.logs
      .join('')
      .split('\n')
      .filter((line) => line.includes('"foreign_files":1'));
    expect(warnings).toHaveLength(2);
    expect(warnings.join()).toContain(place.split('/').slice(0, 2).join('/'));
    expect((await collector()).counts).toEqual({ foreign_files: 1 });
  });
});
