import sharp from 'sharp';
import { describe, expect, it } from 'vitest';

import { sniffImageType } from '../../../../src/core/preview/media/image/image-type.js';
import { firstJpegScans } from '../../../../src/core/preview/media/image/jpeg-scans.js';
import type { ThumbnailSize } from '../../../../src/core/preview/media/image/thumbnail-sizes.js';
import { Thumbnailer, type Image } from '../../../../src/core/preview/media/image/thumbnailer.js';
import type { ImageOptions } from '../../../../src/core/preview/media/storage/media-jobs.js';
import {
  chainedProfile,
  hiddenTexts,
  manyScans,
  manyWebpCodes,
  manyWebpFrames,
  profileJpeg,
  profilePng,
  profileWebp,
  tiledAvif,
  type TiledAvif,
} from './image-bombs.js';
import { DEFAULT_SIZES, MAX_PIXELS } from './media-kit.js';
import { manyFrames, sampleImage, textBomb, tinyPng } from './sample-images.js';

const OPTIONS: ImageOptions = { sizes: DEFAULT_SIZES, maxPixels: MAX_PIXELS, blurhash: false, size: null };

function make(bytes: Buffer, change: Partial<ImageOptions> = {}): Promise<Image> {
  return new Thumbnailer().make(bytes, sniffImageType(bytes) ?? 'none', { ...OPTIONS, ...change });
}

/** How much memory the process took at most while this went on. */
async function grownBy<T>(work: () => Promise<T>): Promise<{ made: T; grownBytes: number }> {
  const before = process.memoryUsage.rss();
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 2);
  try {
    const made = await work();
    return { made, grownBytes: peak - before };
  } finally {
    clearInterval(watch);
  }
}

const shapes = (made: Image): string[] =>
  made.thumbnails.map(({ width, height, method }) => `${width}x${height} ${method}`).toSorted();

describe('thumbnails', () => {
  it('are made in the five default sizes, and say the size they have', async () => {
    const made = await make(await sampleImage(1600, 1200).jpeg().toBuffer());

    expect(shapes(made)).toEqual([
      '320x240 scale',
      '32x32 crop',
      '640x480 scale',
      '800x600 scale',
      '96x96 crop',
    ]);
    for (const { bytes, width, height } of made.thumbnails) {
      expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width, height });
    }
  });

  it('are never larger than the image, and equal results are one', async () => {
    expect(shapes(await make(await sampleImage(100, 50).png().toBuffer()))).toEqual([
      '100x50 scale',
      '32x32 crop',
      '96x50 crop',
    ]);
  });

  it.each([
    ['jpeg', false, 'image/jpeg'],
    ['webp', false, 'image/jpeg'],
    ['avif', false, 'image/jpeg'],
    ['png', false, 'image/png'],
    ['gif', false, 'image/png'],
    ['webp', true, 'image/png'],
  ] as const)('of %s (transparent: %s) are %s', async (format, transparent, expected) => {
    const source = transparent ? sampleImage(200, 100).ensureAlpha(0.5) : sampleImage(200, 100);
    const made = await make(await source.toFormat(format).toBuffer());

    expect(made).toMatchObject({ width: 200, height: 100 });
    expect(new Set(made.thumbnails.map(({ contentType }) => contentType))).toEqual(new Set([expected]));
  });

  it.each([5, 6, 7, 8])(
    'stand upright, and so do the dimensions, with EXIF orientation %i',
    async (orientation) => {
      const made = await make(await sampleImage(300, 200).jpeg().withMetadata({ orientation }).toBuffer());

      expect(made).toMatchObject({ width: 200, height: 300 });
      expect(shapes(made)).toContain('160x240 scale');
    },
  );

  it('of a very long image stay bounded', async () => {
    const sizes: ThumbnailSize[] = [{ width: 96, height: 96, method: 'crop' }];

    expect(shapes(await make(tinyPng(500, 60_000), { sizes }))).toEqual(['96x96 crop']);
  });

  it('of an animated image show its first frame', async () => {
    const frames = Buffer.concat([
      await sampleImage(60, 40).raw().toBuffer(),
      await sampleImage(60, 40).negate().raw().toBuffer(),
    ]);
    const animated = await sharp(frames, { raw: { width: 60, height: 80, channels: 3, pageHeight: 40 } })
      .webp({ delay: [100, 100] })
      .toBuffer();

    expect(await make(animated)).toMatchObject({ width: 60, height: 40 });
    // The orientation lies behind the frames (RFC 9649 §2.7).
    const turned = await sharp(animated, { animated: true }).withMetadata({ orientation: 6 }).toBuffer();
    expect(turned.indexOf('EXIF')).toBeGreaterThan(turned.lastIndexOf('ANMF'));
    expect(await make(turned)).toMatchObject({ width: 40, height: 60 });
  });

  it('come with a blurhash when asked for', async () => {
    const bytes = await sampleImage(200, 100).png().toBuffer();

    expect((await make(bytes, { blurhash: true })).blurhash).toMatch(/^[\w#$%*+,.:;=?@[\]^{|}~-]{28}$/);
    expect((await make(bytes)).blurhash).toBeNull();
  });
});

/** As cameras write them; the names of boxes may stand in pixels, too. */
const honest = (change: Partial<TiledAvif>) => () =>
  tiledAvif({ tile: 1024, rows: 4, whole: 4096, ...change });
const HONEST_AVIFS: readonly (readonly [string, () => Promise<Buffer>])[] = [
  ['of tiles with a gain map', honest({ beside: 'gain map' })],
  ['of tiles with transparency of as many', honest({ beside: 'alpha' })],
  ['by itself with a gain map', honest({ tile: 4096, rows: 0, beside: 'gain map' })],
  [
    'that has the name of a box in its pixels',
    async () => {
      const image = await sampleImage(64, 4096).avif({ effort: 0 }).toBuffer();
      return Buffer.concat([image, Buffer.from('\0\0\0\x0cfreedimg', 'latin1')]);
    },
  ],
];

describe('hostile images', () => {
  it.each([
    ['a PNG of 30,000 x 30,000', () => tinyPng(30_000, 30_000), 'Input image exceeds pixel limit'],
    ['a PNG of 31,000,000 x 1', () => tinyPng(31_000_000, 1), '31000000 × 1 pixels are too many'],
    ['a PNG of 1 x 31,000,000', () => tinyPng(1, 31_000_000), '1 × 31000000 pixels are too many'],
    ['a PNG of just the limit', () => tinyPng(8192, 4096), '8192 × 4096 pixels are too many'],
    [
      'a PNG that is only its signature',
      () => Buffer.from('\x89PNG\r\n\x1a\ngarbage', 'latin1'),
      'corrupt header',
    ],
    [
      'a JPEG cut in its header',
      async () => (await sampleImage(500, 500).jpeg().toBuffer()).subarray(0, 150),
      'corrupt header',
    ],
  ])('%s is refused, at once', async (_name, bytes, message) => {
    const startedMs = performance.now();

    await expect(make(await bytes())).rejects.toThrow(message);
    expect(performance.now() - startedMs).toBeLessThan(2000);
  });

  it('a PNG with 100 texts of 50 MB each is decoded without them', async () => {
    const bomb = textBomb(50_000_000);
    const startedMs = performance.now();

    expect(
      await make(
        tinyPng(
          10,
          10,
          Array.from({ length: 100 }, () => bomb),
        ),
      ),
    ).toMatchObject({ width: 10 });
    expect(performance.now() - startedMs).toBeLessThan(3000);
  });

  it('a GIF of 200,000 frames is decoded up to its first', async () => {
    const startedMs = performance.now();

    expect(await make(manyFrames(200_000))).toMatchObject({ width: 1, height: 1 });
    expect(performance.now() - startedMs).toBeLessThan(3000);
  });

  it.each([
    ['PNG', profilePng],
    ['WebP', profileWebp],
    ['JPEG', profileJpeg],
  ] as const)('a profile with a program of 8,000 steps does not run in a %s', async (_format, image) => {
    const bytes = await image(chainedProfile(8_000));
    await make(await sampleImage(64, 64).png().toBuffer());

    const started = process.cpuUsage();
    expect(await make(bytes)).toMatchObject({ width: 64, height: 64 });
    // The program takes a third of a millisecond for each step.
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(500);
  });

  it('texts of a PNG behind 100,000 other chunks are left out, too', async () => {
    const bytes = hiddenTexts(100_001, 60);

    const { made, grownBytes } = await grownBy(() => make(bytes));

    expect(made).toMatchObject({ width: 64, height: 64 });
    // Each would take 7.9 MB several times.
    expect(grownBytes).toBeLessThan(150 * 1024 * 1024);
  });

  it('a WebP of 40,000 frames is decoded up to its first', async () => {
    const bytes = await manyWebpFrames(40_000);
    const started = process.cpuUsage();

    expect(await make(bytes)).toMatchObject({ width: 1, height: 1 });
    // Opening all of them takes a time that grows with the square of their number: three seconds here.
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(500);
  });

  it('a JPEG of 4 million pixels and 5,000 scans is decoded up to its 32nd scan', async () => {
    const bytes = manyScans(2000, 5_000);
    const started = process.cpuUsage();

    expect(await make(bytes)).toMatchObject({ width: 2000, height: 2000 });
    // A third of a millisecond each.
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(500);
  });

  it('an AVIF of 64 pixels a side, put together of 64 images of 4 million pixels, is refused at once', async () => {
    const bytes = await tiledAvif({ tile: 2000, rows: 8, whole: 64 });
    const started = process.cpuUsage();

    await expect(make(bytes)).rejects.toThrow('256000000 pixels are too many');
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(500);
  });

  it('so is one put together of such that are put together, however small', async () => {
    const bytes = await tiledAvif({ tile: 64, rows: 2, whole: 128, isNested: true });

    await expect(make(bytes)).rejects.toThrow('put together themselves');
  });

  it('so is one of parts whose transparency is put together', async () => {
    const bytes = await tiledAvif({ tile: 512, rows: 4, whole: 2048, beside: 'alpha of the tile' });

    await expect(make(bytes)).rejects.toThrow('pixels are too many');
  });

  it('an AVIF that has 100 frames of 4 million pixels to show one is refused at once', async () => {
    const bytes = await tiledAvif({ tile: 2000, rows: 1, whole: 2000, frames: 100 });
    const started = process.cpuUsage();

    await expect(make(bytes)).rejects.toThrow('an AVIF of many frames');
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(500);
  });

  it('a JPEG of 64 MB is gone through fast, and not at all for its size', async () => {
    const whole = await sampleImage(64, 64).jpeg().toBuffer();
    const bytes = Buffer.concat([whole.subarray(0, -2), Buffer.alloc(64_000_000)]);
    const thumbnailer = new Thumbnailer();
    const leastMs = async (work: () => unknown): Promise<number> => {
      const times: number[] = [];
      for (let time = 0; time < 5; time += 1) {
        const started = process.cpuUsage();
        await work();
        times.push(process.cpuUsage(started).user / 1000);
      }
      return Math.min(...times);
    };

    // A pass over each byte by itself takes some 60 ms.
    expect(await leastMs(() => firstJpegScans(bytes))).toBeLessThan(25);
    expect(await leastMs(() => thumbnailer.sizeByHead(bytes, 'image/jpeg', MAX_PIXELS))).toBeLessThan(2);
  });

  it.each(HONEST_AVIFS)('an honest AVIF, %s, has its thumbnails', async (_what, avif) => {
    expect(await make(await avif())).toMatchObject({ height: 4096 });
  });

  it('an AVIF put together of tiles has its thumbnails', async () => {
    const made = await make(await tiledAvif({ tile: 512, rows: 4, whole: 2000 }));

    expect(made).toMatchObject({ width: 2000, height: 2000 });
    expect(shapes(made)).toContain('600x600 scale');
  });

  it('WebPs with as many codes as pixels allow are not all held in memory at once', async () => {
    const bytes = manyWebpCodes(1024);
    const thumbnailer = new Thumbnailer();
    const three = [1, 2, 3].map(() => () => thumbnailer.make(bytes, 'image/webp', OPTIONS));

    const { made, grownBytes } = await grownBy(() => Promise.all(three.map((one) => one())));

    expect(made).toHaveLength(3);
    // One takes some 370 MB.
    expect(grownBytes).toBeLessThan(600 * 1024 * 1024);
  });

  it('large ones are not all held in memory at once', async () => {
    const interlaced = await sampleImage(5000, 5000).ensureAlpha().png({ progressive: true }).toBuffer();
    const thumbnailer = new Thumbnailer();
    const three = [1, 2, 3].map(() => () => thumbnailer.make(interlaced, 'image/png', OPTIONS));

    const { grownBytes } = await grownBy(() => Promise.all(three.map((one) => one())));

    // One takes some 130 MB.
    expect(grownBytes).toBeLessThan(250 * 1024 * 1024);
  });

  it('half a JPEG still gives its thumbnails', async () => {
    const whole = await sampleImage(1000, 800).jpeg().toBuffer();

    expect(await make(whole.subarray(0, whole.length / 2))).toMatchObject({ width: 1000, height: 800 });
  });

  it.each(['tiff', 'svg'])('%s under a label of another type never reaches its decoder', async (format) => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
    const bytes = format === 'svg' ? svg : await sampleImage(20, 20).tiff().toBuffer();

    await expect(new Thumbnailer().make(bytes, 'image/png', OPTIONS)).rejects.toThrow(
      'unsupported image format',
    );
  });
});
