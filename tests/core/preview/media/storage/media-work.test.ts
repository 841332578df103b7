import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { createLogger } from '../../../../../src/core/base/logger.js';
import { MediaFiles } from '../../../../../src/core/preview/media/media-files.js';
import { newMediaId } from '../../../../../src/core/preview/media/media-id.js';
import type { MediaPaths } from '../../../../../src/core/preview/media/storage/media-jobs.js';
import { DEFAULT_SIZES, createMediaWork, filesBelow } from '../media-kit.js';
import { sampleImage } from '../sample-images.js';

let folder: string;
let files: MediaFiles;
const work = createMediaWork(createLogger({ level: 'silent' }));

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vidimus-work-'));
  files = new MediaFiles(folder);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const newPaths = (): MediaPaths => files.begin(newMediaId(0)).paths;

describe('work on media', () => {
  it('of more than 132 images at once is refused with 503, and the others are all kept', async () => {
    const bytes = await sampleImage(64, 64).png().toBuffer();

    const outcomes = await Promise.allSettled(
      Array.from({ length: 140 }, () => work.keep(bytes, { paths: newPaths(), thumbnails: true })),
    );

    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(132);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { status: 503 } });
    expect(filesBelow(join(folder, 'url_cache'))).toHaveLength(132);
  });

  it('that fails at a thumbnail leaves neither file nor thumbnail', async () => {
    const bytes = await sampleImage(64, 64).png().toBuffer();
    const paths = newPaths();
    // A file where the folder of thumbnails should be; stops root too.
    await writeFile(join(folder, 'url_cache_thumbnails'), '');

    await expect(work.keep(bytes, { paths, thumbnails: true })).rejects.toMatchObject({ code: 'ENOTDIR' });

    expect(filesBelow(folder)).toEqual(['url_cache_thumbnails']);
  });

  it('makes thumbnails of a kept image again and of other sizes, beside those there are', async () => {
    const bytes = await sampleImage(400, 300).png().toBuffer();
    const paths = newPaths();
    await work.keep(bytes, { paths, thumbnails: true });
    const before = filesBelow(paths.thumbnails);

    const made = await work.makeThumbnails(paths, 'image/png', [
      ...DEFAULT_SIZES,
      { width: 128, height: 128, method: 'crop' },
    ]);

    expect(made).toHaveLength(5);
    expect(filesBelow(paths.thumbnails)).toEqual([...before, '128-128-image-png-crop'].toSorted());
    expect(filesBelow(join(folder, 'tmp'))).toEqual([]);
  });

  it('on an image that cannot be decoded keeps it without thumbnails', async () => {
    const garbage = Buffer.from('\x89PNG\r\n\x1a\ngarbage', 'latin1');

    const kept = await work.keep(garbage, { paths: newPaths(), thumbnails: true });

    expect(kept).toMatchObject({ image: null, sniffedType: 'image/png', sizeBytes: garbage.length });
    expect(kept.decodeError).not.toBeNull();
  });
});
