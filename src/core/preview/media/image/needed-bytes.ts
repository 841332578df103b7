import { refuseManyFrames } from './avif-frames.js';
import { avifTilePixels } from './avif-tiles.js';
import { firstGifFrame } from './gif-frames.js';
import { firstJpegScans } from './jpeg-scans.js';
import { withoutPngTexts } from './png-chunks.js';
import type { PixelSize } from './thumbnail-sizes.js';
import { firstWebpFrame } from './webp-chunks.js';

/** Some formats are decoded whole, at 17 bytes a pixel. */
const LARGE_PIXELS = 4_000_000;
/** In a lossless WebP, or its transparency, each 16 pixels may have codes of their own, which take 6 to 12 kB. */
const LARGE_LOSSLESS_PIXELS = 250_000;
const LOSSLESS = ['VP8L', 'ALPH'];

/** What the decoder gets of a file: it must not open what thumbnails do not show. */
export function neededBytes(file: Buffer, type: string): Buffer {
  switch (type) {
    case 'image/jpeg':
      return firstJpegScans(file);
    case 'image/gif':
      return firstGifFrame(file);
    case 'image/png':
      return withoutPngTexts(file);
    case 'image/webp':
      return firstWebpFrame(file);
    default:
      return file;
  }
}

/**
 * How many pixels the decoder makes before it has those of an image.
 * @throws Error for an AVIF whose frames are too many, or whose parts cannot be counted.
 */
export function decodedPixels(bytes: Buffer, { type, width, height }: PixelSize & { type: string }): number {
  const pixels = width * height;
  if (type !== 'image/avif') return pixels;
  refuseManyFrames(bytes);
  return Math.max(pixels, avifTilePixels(bytes));
}

/** Whether an image may take so much memory that one of them is in the decoder at a time. */
export function isLarge(bytes: Buffer, { type, pixels }: { type: string; pixels: number }): boolean {
  if (pixels > LARGE_PIXELS) return true;
  return (
    type === 'image/webp' && pixels > LARGE_LOSSLESS_PIXELS && LOSSLESS.some((name) => bytes.includes(name))
  );
}
