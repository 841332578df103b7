import { sniffImageType } from '../../../../src/core/preview/media/image/image-type.js';
import { Thumbnailer, type Thumbnail } from '../../../../src/core/preview/media/image/thumbnailer.js';
import type { PixelSize, ThumbnailSize } from '../../../../src/core/preview/media/media-paths.js';
import { DEFAULT_SIZES, MAX_PIXELS } from './media-kit.js';

/** An image as it is told of in an answer, and its thumbnails. */
export interface MadeImage extends PixelSize {
  thumbnails: Required<Thumbnail>[];
}

/** By default options; rejects when an image has no size, or with why there are no thumbnails. */
export async function makeThumbnails(
  bytes: Buffer,
  {
    sizes = DEFAULT_SIZES,
    thumbnailer = new Thumbnailer(),
  }: { sizes?: readonly ThumbnailSize[]; thumbnailer?: Thumbnailer } = {},
): Promise<MadeImage> {
  const type = sniffImageType(bytes) ?? 'none';
  const { size } = await thumbnailer.inspect(bytes, MAX_PIXELS);
  if (size === null) throw new Error('refused');
  const job = { type, sizes, maxPixels: MAX_PIXELS, size };
  return { ...size, thumbnails: await thumbnailer.make(bytes, job) };
}
