import sharp from 'sharp';
import { describe, expect, it } from 'vitest';

import { Thumbnailer } from '../../../../src/core/preview/media/image/thumbnailer.js';
import { MAX_PIXELS } from './media-kit.js';
import { sampleImage } from './sample-images.js';
import { makeThumbnails as make, type MadeImage } from './thumbnailer-kit.js';

const shapes = (made: MadeImage): string[] =>
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

  it.each(['tiff', 'svg'])('%s under a label of another type never reaches its decoder', async (format) => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
    const bytes = format === 'svg' ? svg : await sampleImage(20, 20).tiff().toBuffer();

    const options = { sizes: [], maxPixels: MAX_PIXELS, size: { width: 9, height: 9 } };
    await expect(new Thumbnailer().make(bytes, { type: 'image/png', ...options })).rejects.toThrow(
      'unsupported image format',
    );
  });
});
