import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';

import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { MadeThumbnails } from '../../../../../src/core/preview/media/storage/media-jobs.js';
import { InProcessMediaProcessor } from '../../../../../src/core/preview/media/storage/in-process-media-processor.js';
import { MediaFiles } from '../../../../../src/core/preview/media/media-files.js';
import { DiskStorage } from '../../../../../src/core/preview/media/storage/disk-storage.js';
import { newMediaId } from '../../../../../src/core/preview/media/media-id.js';
import { Thumbnailer } from '../../../../../src/core/preview/media/image/thumbnailer.js';
import { DEFAULT_SIZES, MAX_PIXELS } from '../media-kit.js';
import { sampleImage } from '../sample-images.js';

let folder: string;
let files: MediaFiles;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vidimus-hands-'));
  files = new MediaFiles(new DiskStorage(folder));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('thumbnails of many images at once', () => {
  const makeAll = async (count: number): Promise<Promise<MadeThumbnails>[]> => {
    const bytes = await sampleImage(1200, 1000).jpeg().toBuffer();
    const processor = new InProcessMediaProcessor(new Thumbnailer());
    const image = { sizes: DEFAULT_SIZES, maxPixels: MAX_PIXELS, blurhash: false, size: null };
    const { paths } = files.begin(newMediaId(0));
    await processor.keep({ bytes, paths, maxPixels: null });
    const make = (): Promise<MadeThumbnails> => {
      const other = { ...files.begin(newMediaId(0)).paths, file: paths.file };
      return processor.makeThumbnails({ paths: other, type: 'image/jpeg', image });
    };
    await make();
    return Array.from({ length: count }, make);
  };

  it('are decoded three at a time', async () => {
    let most = 0;
    let made = 0;
    const all = (await makeAll(8)).map((one) => one.then(() => (made += 1)));
    while (made < all.length) {
      await nextTurn();
      const { process: working, queue: waiting } = sharp.counters();
      most = Math.max(most, working + waiting);
    }
    await Promise.all(all);

    // The library still counts what it is just reporting as done, while the next step begins.
    expect(most).toBeGreaterThanOrEqual(3);
    expect(most).toBeLessThanOrEqual(6);
  });

  it('tell the time of their thumbnails without that of waiting for others', async () => {
    const all = await makeAll(8);
    const startMs = performance.now();
    const times = (await Promise.all(all)).map(({ decodeMs }) => decodeMs);
    const elapsedMs = performance.now() - startMs;

    expect(Math.min(...times)).toBeGreaterThan(0);
    const inAllMs = times.reduce((sum, ms) => sum + ms, 0);
    expect(inAllMs).toBeLessThanOrEqual(3 * elapsedMs + 10);
  });
});
