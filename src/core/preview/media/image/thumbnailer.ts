import type { KernelEnum, Sharp, SharpInput, SharpOptions } from 'sharp';

import { Remembered } from '../../../base/remembered.js';
import type { ThumbnailKey } from '../media-paths.js';
import type { ImageOptions } from '../storage/media-jobs.js';
import { jpegSize } from './jpeg-head.js';
import { WorkQueue } from '../../../base/worker/work-queue.js';
import { OPTIMIZATIONS } from '../../../base/runtime/optimizations.js';
import type { Optimization } from '../../../base/runtime/optimizations.js';
import { BufferPool } from '../../../base/runtime/buffer-pool.js';
import { MinorGcTrigger } from '../../../base/runtime/minor-gc-trigger.js';
import { averaged, middlePart } from './raw-pixels.js';
import type { RawPixels } from './raw-pixels.js';
import { withoutPngTexts } from './png-chunks.js';
import { planThumbnails, shrinkFactor } from './thumbnail-sizes.js';
import type { PixelSize, ThumbnailSize } from './thumbnail-sizes.js';

/** A thumbnail with its bytes. */
export interface ThumbnailBytes extends ThumbnailKey {
  bytes: Buffer;
}

/** What an image gave. */
export interface Image extends PixelSize {
  thumbnails: ThumbnailBytes[];
  /** `null` when not asked for. */
  blurhash: string | null;
  /** Time it took, that of waiting for its turn not counted, ms. */
  decodeMs: number;
}

type SharpFunction = (input: SharpInput, options?: SharpOptions) => Sharp;

/** Loaders the decoder may choose from; everything else libvips brings is switched off. */
const LOADERS = [
  'VipsForeignLoadJpeg',
  'VipsForeignLoadPng',
  'VipsForeignLoadNsgif',
  'VipsForeignLoadWebp',
  'VipsForeignLoadHeif',
].flatMap((name) => [`${name}File`, `${name}Buffer`]);

/** Images in the making at once. Each keeps one of libuv's four threads busy, one of which is left for files. */
export const MAX_AT_ONCE = 3;

const TIMEOUT_SECONDS = 10;
/** Thumbnails live two days: speed counts more than the tenth of size that more effort would save. */
const JPEG_OUTPUT = { quality: 80, optimiseCoding: false };
const PNG_OUTPUT = { compressionLevel: 1 };
/** From pixels that are shrunk already; sharper ones cost half as much again and cannot be told from it. */
const KERNEL = 'linear';
/** The pixels of two or three images of common size. */
const MAX_UNCOLLECTED_BYTES = 3 * 1024 * 1024;
/** As much as a JPEG can have. Decoders work in whole rows, and rows of millions take gigabytes. */
const MAX_SIDE_PIXELS = 65_535;
/** Of images above this one is in the decoder at a time: some formats are decoded whole, at 17 bytes a pixel. */
const LARGE_PIXELS = 4_000_000;
/** Crops of very long images would need nearly all their pixels. */
const MAX_BASE_PIXELS = 4_000_000;
/** Up to here pixels are shrunk in this thread; larger images would hold up others. */
const MAX_AVERAGED_PIXELS = 160_000;
/** As the blurhash authors advise for wide images. */
const BLURHASH_PARTS = { x: 4, y: 3, box: 32 };

/**
 * Makes thumbnails: one decode to the largest size needed, all others from that. The decoder is loaded at the
 * first image, because it takes memory that a service without previews need not spend.
 */
export class Thumbnailer {
  readonly #sharp = new Remembered(loadSharp);
  /** `null`: every image in memory of its own. */
  readonly #buffers: BufferPool | null;
  readonly #decoding = new WorkQueue({ maxRunning: MAX_AT_ONCE, maxWaiting: Infinity });
  readonly #memory: MinorGcTrigger;
  readonly #large = new WorkQueue({ maxRunning: 1, maxWaiting: Infinity });

  /** `optimizations`: what may be used of `buffer_pool` and `young_collection`. */
  constructor(optimizations: readonly Optimization[] = OPTIMIZATIONS) {
    this.#buffers = optimizations.includes('buffer_pool') ? new BufferPool(MAX_AT_ONCE) : null;
    this.#memory = new MinorGcTrigger(
      optimizations.includes('young_collection') ? MAX_UNCOLLECTED_BYTES : Infinity,
    );
  }

  /**
   * Pixel size after EXIF orientation, thumbnails and blurhash of an image's first frame; `type` is its type by
   * content. Rejects with the decoder's error, and for images of too many pixels.
   */
  async make(bytes: Buffer, type: string, { sizes, maxPixels, blurhash }: ImageOptions): Promise<Image> {
    const sharp = await this.#sharp.get();
    const input = type === 'image/png' ? withoutPngTexts(bytes) : bytes;
    const open = (): Sharp =>
      sharp(input, { failOn: 'none', limitInputPixels: maxPixels, sequentialRead: true }).timeout({
        seconds: TIMEOUT_SECONDS,
      });

    const { width, height, hasAlpha } = await facts(input, type, open);
    if (width * height >= maxPixels || Math.max(width, height) > MAX_SIDE_PIXELS) {
      throw new Error(`${width} × ${height} pixels are too many`);
    }
    const make = (): Promise<Image> =>
      this.#decoding.run(() =>
        this.#decode(sharp, open(), { width, height, hasAlpha, type, sizes, blurhash }),
      );
    // One that waits for its turn among the large ones keeps no place from small ones.
    return width * height > LARGE_PIXELS ? this.#large.run(make) : make();
  }

  async #decode(sharp: SharpFunction, source: Sharp, plan: DecodePlan): Promise<Image> {
    const startMs = performance.now();
    const { width, height, hasAlpha, type, sizes } = plan;
    const base = await toRaw(source.autoOrient(), shrunk({ width, height }, sizes));
    const release = this.#buffers?.hold(base);
    this.#memory.dropped(base.data.length);
    try {
      const contentType = thumbnailType(type, hasAlpha);
      const thumbnails = await derived(sharp, base, { image: { width, height }, sizes, contentType });
      const blurhash = plan.blurhash ? await blurhashOf(sharp, base) : null;
      return { width, height, thumbnails, blurhash, decodeMs: performance.now() - startMs };
    } finally {
      release?.();
    }
  }
}

/** What is known of an image before it is decoded, and what is wanted of it. */
interface DecodePlan extends PixelSize, Pick<ImageOptions, 'sizes' | 'blurhash'> {
  hasAlpha: boolean;
  type: string;
}

/** Loads the decoder into this process; the main thread must have done so before another one uses it. */
export async function loadDecoder(): Promise<void> {
  await import('sharp');
}

async function loadSharp(): Promise<SharpFunction> {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: LOADERS });
  return sharp;
}

/** Pixel size after EXIF orientation, and whether parts may be transparent. */
async function facts(
  bytes: Buffer,
  type: string,
  open: () => Sharp,
): Promise<PixelSize & { hasAlpha: boolean }> {
  const size = type === 'image/jpeg' ? jpegSize(bytes) : null;
  if (size !== null) return { hasAlpha: false, ...size };
  const { autoOrient, hasAlpha } = await open().metadata();
  return { hasAlpha, ...autoOrient };
}

/** The smallest form of an image from which all sizes can be made. */
function shrunk(image: PixelSize, sizes: readonly ThumbnailSize[]): PixelSize {
  const needed = Math.max(...sizes.map((size) => shrinkFactor(image, size)));
  const factor = Math.min(needed, Math.sqrt(MAX_BASE_PIXELS / (image.width * image.height)));
  return {
    width: Math.max(1, Math.round(image.width * factor)),
    height: Math.max(1, Math.round(image.height * factor)),
  };
}

async function toRaw(
  source: Sharp,
  { width, height }: PixelSize,
  kernel: keyof KernelEnum = 'lanczos3',
): Promise<RawPixels> {
  const { data, info } = await source
    .resize(width, height, { fit: 'fill', kernel })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: info.channels };
}

/**
 * Which thumbnails are derived from which pixels: the small ones from a small step in between, because reading
 * all pixels of the base for each of them costs more than making it.
 */
async function cascade(
  sharp: SharpFunction,
  base: RawPixels,
  { image, sizes }: { image: PixelSize; sizes: readonly ThumbnailSize[] },
): Promise<{ source: RawPixels; planned: ThumbnailSize[] }[]> {
  const limit = base.width / image.width / 2;
  const isSmall = (size: ThumbnailSize): boolean => shrinkFactor(image, size) <= limit;
  const small = sizes.filter(isSmall);
  if (small.length < 2) return [{ source: base, planned: planThumbnails(image, sizes) }];
  const step = await toRaw(fromRaw(sharp, base), shrunk(image, small), KERNEL);
  const large = sizes.filter((size) => !isSmall(size));
  return [
    { source: step, planned: planThumbnails(image, small) },
    { source: base, planned: planThumbnails(image, large) },
  ];
}

/** All thumbnails of an image. */
async function derived(
  sharp: SharpFunction,
  base: RawPixels,
  { contentType, ...plan }: { image: PixelSize; sizes: readonly ThumbnailSize[]; contentType: string },
): Promise<ThumbnailBytes[]> {
  const thumbnails: ThumbnailBytes[] = [];
  for (const { source, planned } of await cascade(sharp, base, plan)) {
    for (const size of planned) {
      thumbnails.push({ contentType, bytes: await derive(sharp, source, { size, contentType }), ...size });
    }
  }
  return thumbnails;
}

async function derive(
  sharp: SharpFunction,
  source: RawPixels,
  { size, contentType }: { size: ThumbnailSize; contentType: string },
): Promise<Buffer> {
  const isSmall = source.width * source.height <= MAX_AVERAGED_PIXELS;
  const part = size.method === 'crop' && isSmall ? middlePart(source, size) : source;
  const shrinksALot = part.width >= 2 * size.width && part.height >= 2 * size.height;
  const pixels = (isSmall && shrinksALot ? averaged(part, size) : null) ?? part;
  const encoded =
    contentType === 'image/png'
      ? resized(sharp, pixels, size).png(PNG_OUTPUT)
      : resized(sharp, pixels, size).jpeg(JPEG_OUTPUT);
  return encoded.toBuffer();
}

function resized(sharp: SharpFunction, pixels: RawPixels, { width, height, method }: ThumbnailSize): Sharp {
  const source = fromRaw(sharp, pixels);
  if (pixels.width === width && pixels.height === height) return source;
  return source.resize(width, height, { fit: method === 'crop' ? 'cover' : 'fill', kernel: KERNEL });
}

function fromRaw(sharp: SharpFunction, { data, width, height, channels }: RawPixels): Sharp {
  return sharp(data, { raw: { width, height, channels } });
}

/** PNG for what comes as PNG or GIF, or has transparent parts; JPEG for photographs. */
function thumbnailType(type: string, hasAlpha: boolean): string {
  return hasAlpha || type === 'image/png' || type === 'image/gif' ? 'image/png' : 'image/jpeg';
}

async function blurhashOf(sharp: SharpFunction, base: RawPixels): Promise<string> {
  const { encode } = await import('blurhash');
  const { x, y, box } = BLURHASH_PARTS;
  const { data, info } = await fromRaw(sharp, base)
    .resize(box, box, { fit: 'inside' })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return encode(new Uint8ClampedArray(data), info.width, info.height, x, y);
}
