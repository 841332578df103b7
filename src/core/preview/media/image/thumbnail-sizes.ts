/** How an image meets a box: `crop` fills it and cuts what sticks out, `scale` fits into it. */
export const THUMBNAIL_METHODS = ['crop', 'scale'] as const;
export type ThumbnailMethod = (typeof THUMBNAIL_METHODS)[number];

export interface ThumbnailSize {
  width: number;
  height: number;
  method: ThumbnailMethod;
}

export interface PixelSize {
  width: number;
  height: number;
}

const LARGEST_BOX: PixelSize = { width: 1434, height: 600 };
/** Boxes that thumbnails on demand are rounded up to; what real clients ask for, at 1, 1.5, 2 and 3 dots a pixel. */
const DEMAND_BOXES: readonly PixelSize[] = [
  { width: 96, height: 96 },
  { width: 128, height: 128 },
  { width: 256, height: 256 },
  { width: 320, height: 240 },
  { width: 478, height: 200 },
  { width: 640, height: 480 },
  { width: 956, height: 400 },
  LARGEST_BOX,
];

/** What a box makes of an image; never larger than the image itself. */
export function thumbnailPixels(image: PixelSize, size: ThumbnailSize): PixelSize {
  if (size.method === 'crop') {
    return { width: Math.min(size.width, image.width), height: Math.min(size.height, image.height) };
  }
  const factor = shrinkFactor(image, size);
  return {
    width: Math.max(1, Math.round(image.width * factor)),
    height: Math.max(1, Math.round(image.height * factor)),
  };
}

/** By how much the image shrinks for a box, at most 1; for `crop` until the nearer pair of edges touches. */
export function shrinkFactor(image: PixelSize, size: ThumbnailSize): number {
  const horizontal = size.width / image.width;
  const vertical = size.height / image.height;
  return Math.min(
    1,
    size.method === 'crop' ? Math.max(horizontal, vertical) : Math.min(horizontal, vertical),
  );
}

/** The thumbnails to make of an image: boxes that come to the same result are one. */
export function planThumbnails(image: PixelSize, sizes: readonly ThumbnailSize[]): ThumbnailSize[] {
  const planned = new Map<string, ThumbnailSize>();
  for (const size of sizes) {
    const { width, height } = thumbnailPixels(image, size);
    planned.set(`${width}x${height}-${size.method}`, { width, height, method: size.method });
  }
  return [...planned.values()];
}

/**
 * The thumbnail to answer a request with: the smallest at least as large as the exact answer would be, of the
 * asked method if there is one; else the largest, which a client that wants all of an image takes uncropped.
 * `null` when there is none at all.
 */
export function pickThumbnail<T extends ThumbnailSize>(
  thumbnails: readonly T[],
  image: PixelSize,
  wanted: ThumbnailSize,
): T | null {
  const exact = thumbnailPixels(image, wanted);
  const bySize = thumbnails.toSorted((a, b) => a.width * a.height - b.width * b.height);
  const same = bySize.filter((thumbnail) => thumbnail.method === wanted.method);
  const enough = (thumbnail: T): boolean =>
    thumbnail.width >= exact.width && thumbnail.height >= exact.height;
  if (wanted.method === 'scale') return same.find(enough) ?? same.at(-1) ?? bySize.at(-1) ?? null;
  return same.find(enough) ?? bySize.find(enough) ?? bySize.at(-1) ?? null;
}

/** The box of the small set that serves a request for a thumbnail on demand; the largest for larger ones. */
export function demandSize(wanted: ThumbnailSize): ThumbnailSize {
  const isUpright = wanted.height > wanted.width;
  const [longer, shorter] = isUpright ? [wanted.height, wanted.width] : [wanted.width, wanted.height];
  const box = DEMAND_BOXES.find(({ width, height }) => width >= longer && height >= shorter) ?? LARGEST_BOX;
  const { width, height } = box;
  return isUpright
    ? { width: height, height: width, method: wanted.method }
    : { width, height, method: wanted.method };
}
