import { sniffImageType } from '../../../../src/core/preview/media/image/image-type.js';
import { Thumbnailer, type Image } from '../../../../src/core/preview/media/image/thumbnailer.js';
import type { ImageOptions } from '../../../../src/core/preview/media/storage/media-jobs.js';
import { DEFAULT_SIZES, MAX_PIXELS } from './media-kit.js';

/** As by default. */
export const OPTIONS: ImageOptions = {
  sizes: DEFAULT_SIZES,
  maxPixels: MAX_PIXELS,
  blurhash: false,
  size: null,
};

export function makeThumbnails(bytes: Buffer, change: Partial<ImageOptions> = {}): Promise<Image> {
  return new Thumbnailer().make(bytes, sniffImageType(bytes) ?? 'none', { ...OPTIONS, ...change });
}
