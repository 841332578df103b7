import type { KernelEnum, Sharp, SharpInput, SharpOptions } from 'sharp';

import type { DecodedImage, ToldImageOptions, ThumbnailBytes } from '../storage/media-jobs.js';
import { jpegSize } from './jpeg-head.js';
import { requireSharp } from './load-decoder.js';
import { workQueue } from '../../../base/worker/work-queue.js';
import { decodedPixels, isLarge, neededBytes } from './needed-bytes.js';
import { isInterlacedPng } from './png-chunks.js';
import { isProgram, mayHaveProfile } from './color-profile.js';
import { planThumbnails, shrinkFactor, type PixelSize, type ThumbnailSize } from './thumbnail-sizes.js';

/** What an image gave. */
export interface Image extends DecodedImage {
  thumbnails: ThumbnailBytes[];
  /** Time it took, that of waiting for its turn not counted, ms. */
  decodeMs: number;
}

/** Pixels in memory, row by row. */
interface RawPixels extends PixelSize {
  data: Buffer;
  /** 2 and 4: the last one is alpha, not multiplied into the others. */
  channels: 1 | 2 | 3 | 4;
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
/** What the decoder says after them, perhaps behind warnings. */
export const TIMEOUT_ERROR = /^timeout: /m;
/** Thumbnails live two days: speed counts more than the tenth of size that more effort would save. */
const JPEG_OUTPUT = { quality: 80, optimiseCoding: false };
const PNG_OUTPUT = { compressionLevel: 1 };
/** Of all but crops: a little less sharp than Lanczos, and cheaper. */
const KERNEL = 'linear';
/** As much as a JPEG can have. Decoders work in whole rows, and rows of millions take gigabytes. */
const MAX_SIDE_PIXELS = 65_535;
/** Crops of very long images would need nearly all their pixels. */
const MAX_BASE_PIXELS = 4_000_000;
/** Whether these have transparent parts makes no difference to their thumbnails, or is known. */
const SURE_ALPHA: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif']);
/** A black square. */
const DRAWN: RawPixels = { data: Buffer.alloc(64 * 64 * 3), width: 64, height: 64, channels: 3 };
/** As the blurhash authors advise for wide images. */
const BLURHASH_PARTS = { x: 4, y: 3, box: 32 };

/**
 * Makes thumbnails: one decode to the largest size needed, all others from that. The decoder is loaded at the
 * first image, because it takes memory that a service without previews need not spend.
 */
export class Thumbnailer {
  #loaded: SharpFunction | null = null;
  readonly #decoding = workQueue({ maxRunning: MAX_AT_ONCE, maxWaiting: Infinity });
  readonly #large = workQueue({ maxRunning: 1, maxWaiting: Infinity });

  /**
   * Pixel size after EXIF orientation as the head of an image says. `null` for what the decoder would refuse, and for
   * formats of which it refuses all when a part is damaged or missing: only decoding tells there. Never rejects.
   */
  async sizeByHead(file: Buffer, type: string | null, maxPixels: number): Promise<PixelSize | null> {
    const isForgiving = type === 'image/jpeg' || (type === 'image/png' && !isInterlacedPng(file));
    if (!isForgiving) return null;
    try {
      // Scans are not what is opened of a JPEG here.
      const bytes = type === 'image/jpeg' ? file : neededBytes(file, type);
      const { width, height } = await this.#facts(bytes, type, maxPixels);
      return { width, height };
    } catch {
      return null;
    }
  }

  /**
   * Pixel size after EXIF orientation, thumbnails and blurhash of an image's first frame; `type` is its type by
   * content. Rejects with the decoder's error, and for images of too many pixels.
   */
  async make(file: Buffer, type: string, options: ToldImageOptions): Promise<Image> {
    const { maxPixels, size } = options;
    const sharp = this.#sharp;
    const bytes = neededBytes(file, type);
    const isKnown = size !== null && SURE_ALPHA.has(type);
    const facts = isKnown ? { ...size, hasAlpha: false } : await this.#facts(bytes, type, maxPixels);
    const pixels = decodedPixels(bytes, { type, ...facts });
    if (pixels >= maxPixels) throw new Error(`${pixels} pixels are too many`);
    const ignoreIcc = await hasProgram(sharp, bytes, maxPixels);
    const source = opened(sharp, bytes, { maxPixels, ignoreIcc });
    const make = (): Promise<Image> =>
      this.#decoding.run({ client: undefined }, () =>
        this.#decode(sharp, source, { ...facts, type, ...options }),
      );
    // One that waits for its turn among the large ones keeps no place from small ones.
    return isLarge(bytes, { type, pixels }) ? this.#large.run({ client: undefined }, make) : make();
  }

  /** Loads the decoder and makes a thumbnail of a JPEG that is drawn for it. */
  async warmUp(): Promise<void> {
    const sharp = this.#sharp;
    const drawn = await fromRaw(sharp, DRAWN).jpeg(JPEG_OUTPUT).toBuffer();
    const sizes = [{ width: 32, height: 32, method: 'crop' }] as const;
    const size = { width: DRAWN.width, height: DRAWN.height };
    await this.make(drawn, 'image/jpeg', { sizes, maxPixels: MAX_BASE_PIXELS, blurhash: false, size });
  }

  get #sharp(): SharpFunction {
    return (this.#loaded ??= loadSharp());
  }

  /** Pixel size after EXIF orientation, and whether parts may be transparent. Rejects for too many pixels. */
  async #facts(bytes: Buffer, type: string, maxPixels: number): Promise<Facts> {
    const size = type === 'image/jpeg' ? jpegSize(bytes) : null;
    const facts = size === null ? await this.#ask(bytes, maxPixels) : { ...size, hasAlpha: false };
    const { width, height } = facts;
    if (width * height >= maxPixels || Math.max(width, height) > MAX_SIDE_PIXELS) {
      throw new Error(`${width} × ${height} pixels are too many`);
    }
    return facts;
  }

  async #ask(bytes: Buffer, maxPixels: number): Promise<Facts> {
    const sharp = this.#sharp;
    const { autoOrient, hasAlpha } = await opened(sharp, bytes, { maxPixels }).metadata();
    return { hasAlpha, ...autoOrient };
  }

  async #decode(sharp: SharpFunction, source: Sharp, plan: DecodePlan): Promise<Image> {
    const startMs = performance.now();
    const { width, height, hasAlpha, type, sizes } = plan;
    const base = await toRaw(source.autoOrient(), shrunk({ width, height }, sizes));
    const decoded = { width, height, blurhash: plan.blurhash ? await blurhashOf(sharp, base) : null };
    plan.onDecoded?.(decoded);
    const contentType = thumbnailType(type, hasAlpha);
    const thumbnails = await derived(sharp, base, { image: decoded, sizes, contentType });
    return { ...decoded, thumbnails, decodeMs: performance.now() - startMs };
  }
}

interface Facts extends PixelSize {
  hasAlpha: boolean;
}

/** What is known of an image before it is decoded, and what is wanted of it. */
interface DecodePlan extends Facts, Pick<ToldImageOptions, 'sizes' | 'blurhash' | 'onDecoded'> {
  type: string;
}

function loadSharp(): SharpFunction {
  const sharp = requireSharp();
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: LOADERS });
  return sharp;
}

function opened(
  sharp: SharpFunction,
  bytes: Buffer,
  { maxPixels, ignoreIcc = false }: { maxPixels: number; ignoreIcc?: boolean },
): Sharp {
  const options = { failOn: 'none', limitInputPixels: maxPixels, sequentialRead: true, ignoreIcc } as const;
  return sharp(bytes, options).timeout({ seconds: TIMEOUT_SECONDS });
}

async function hasProgram(sharp: SharpFunction, bytes: Buffer, maxPixels: number): Promise<boolean> {
  if (!mayHaveProfile(bytes)) return false;
  const { icc } = await opened(sharp, bytes, { maxPixels }).metadata();
  return icc !== undefined && isProgram(icc);
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
  const thumbnail = resized(sharp, source, size);
  const encoded = contentType === 'image/png' ? thumbnail.png(PNG_OUTPUT) : thumbnail.jpeg(JPEG_OUTPUT);
  return encoded.toBuffer();
}

function resized(sharp: SharpFunction, pixels: RawPixels, { width, height, method }: ThumbnailSize): Sharp {
  const source = fromRaw(sharp, pixels);
  if (pixels.width === width && pixels.height === height) return source;
  return source.resize(width, height, method === 'crop' ? { fit: 'cover' } : { fit: 'fill', kernel: KERNEL });
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
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return encode(new Uint8ClampedArray(data), info.width, info.height, x, y);
}
