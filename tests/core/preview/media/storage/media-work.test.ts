import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { createLogger } from '../../../../../src/core/base/logger.js';
import { MediaFiles } from '../../../../../src/core/preview/media/media-files.js';
import { DiskStorage } from '../../../../../src/core/preview/media/storage/disk-storage.js';
import { newMediaId } from '../../../../../src/core/preview/media/media-id.js';
import type { MediaPaths } from '../../../../../src/core/preview/media/storage/media-jobs.js';
import type { StoredImage } from '../../../../../src/core/preview/media/storage/media-work.js';
import { DEFAULT_SIZES, createMediaWork, filesBelow } from '../media-kit.js';
import { sampleImage } from '../sample-images.js';

let folder: string;
let files: MediaFiles;
const work = createMediaWork(createLogger({ level: 'silent' }));

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vidimus-work-'));
  files = new MediaFiles(new DiskStorage(folder));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const newPaths = (): MediaPaths => files.begin(newMediaId(0)).paths;
/** The same file with another folder of thumbnails. */
const elsewhere = ({ file }: MediaPaths): MediaPaths => ({ ...newPaths(), file });

async function keepPng(width: number, height: number): Promise<StoredImage> {
  const paths = newPaths();
  const { size } = await work.keep(await sampleImage(width, height).png().toBuffer(), {
    paths,
    looksAtHead: true,
  });
  expect(size).toEqual({ width, height });
  return { paths, type: 'image/png', size };
}

describe('work on media', () => {
  it('keeps seven downloads of one client at once; who gives up meanwhile leaves nothing', async () => {
    const left = new AbortController();
    const keep = (options: { signal?: AbortSignal }) =>
      work.keep(Buffer.from('kept'), { paths: newPaths(), looksAtHead: false, ...options });
    const kept = Promise.all(Array.from({ length: 9 }, () => keep({})));
    const given = keep({ signal: left.signal });
    expect(work.keepLoad).toEqual({ running: 7, waiting: 3 });

    left.abort(new Error('left'));
    await expect(given).rejects.toThrow('left');
    await kept;
    expect(filesBelow(join(folder, 'url_cache'))).toHaveLength(9);
  });

  it('of more than 132 images at once is refused with 503, and the others get their thumbnails', async () => {
    const image = await keepPng(64, 64);

    const outcomes = await Promise.allSettled(
      Array.from({ length: 140 }, () => work.makeThumbnails({ ...image, paths: elsewhere(image.paths) })),
    );

    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(132);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { status: 503 } });
    expect(filesBelow(join(folder, 'url_cache_thumbnails'))).toHaveLength(132 * 3);
  });

  it('that fails at a thumbnail leaves nothing under a temporary name', async () => {
    const image = await keepPng(64, 64);
    // A file where the folder of thumbnails should be; stops root too.
    await writeFile(join(folder, 'url_cache_thumbnails'), '');

    await expect(work.makeThumbnails(image)).rejects.toMatchObject({ code: 'ENOTDIR' });

    expect(filesBelow(join(folder, 'tmp'))).toEqual([]);
  });

  it('makes thumbnails of a kept image again and of other sizes, beside those there are', async () => {
    const image = await keepPng(400, 300);
    await work.makeThumbnails(image);
    const before = filesBelow(image.paths.thumbnails);

    const made = await work.makeThumbnails(image, [
      ...DEFAULT_SIZES,
      { width: 128, height: 128, method: 'crop' },
    ]);

    expect(made.image?.thumbnails).toHaveLength(5);
    expect(filesBelow(image.paths.thumbnails)).toEqual([...before, '128-128-image-png-crop'].toSorted());
    expect(filesBelow(join(folder, 'tmp'))).toEqual([]);
  });

  it('on an image that cannot be decoded keeps it without size and thumbnails', async () => {
    const garbage = Buffer.from('\x89PNG\r\n\x1a\ngarbage', 'latin1');
    const paths = newPaths();

    const kept = await work.keep(garbage, { paths, looksAtHead: true });
    const made = await work.makeThumbnails({ paths, type: 'image/png', size: null });

    expect(kept).toMatchObject({ size: null, sniffedType: 'image/png', sizeBytes: garbage.length });
    expect(made.image).toBeNull();
    expect(made.decodeError).not.toBeNull();
  });
});
