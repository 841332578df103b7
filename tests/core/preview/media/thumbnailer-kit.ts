import { sniffImageType } from '../../../../src/core/preview/media/image/image-type.js';
import {
  Thumbnailer,
  type DecodedImage,
  type ImageOptions,
} from '../../../../src/core/preview/media/image/thumbnailer.js';
import { DEFAULT_SIZES, MAX_PIXELS } from './media-kit.js';

/** As by default. */
export const OPTIONS: ImageOptions = {
  sizes: DEFAULT_SIZES,
  maxPixels: MAX_PIXELS,
  blurhash: false,
  size: null,
};

export async function makeThumbnails(
  bytes: Buffer,
  change: Partial<ImageOptions> = {},
): Promise<DecodedImage> {
  const type = sniffImageType(bytes) ?? 'none';
  return (await new Thumbnailer().make(bytes, type, { ...OPTIONS, ...change })).image;
}
