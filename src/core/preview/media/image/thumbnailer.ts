import { createRequire } from 'node:module';
import { createHash } from 'node:crypto';

import type { Sharp, SharpInput, SharpOptions } from 'sharp';

import { workQueue } from '../../../base/fair-queue.js';
import {
  type ThumbnailKey,
  planThumbnails,
  scaledBy,
  shrinkFactor,
  type PixelSize,
  type ThumbnailSize,
} from '../media-paths.js';
import {
  DECODABLE_TYPES,
  SNIFF_BYTES,
  sniffImageType,
  isLarge,
  mayHaveProfile,
  neededBytes,
} from './image-type.js';

type SharpFunction = (input: SharpInput, options?: SharpOptions) => Sharp;

/** Loaders the decoder may choose from; everything else libvips brings is switched off. */
const LOADERS = ['Jpeg', 'Png', 'Nsgif', 'Webp', 'Heif'].flatMap((format) => [
  `VipsForeignLoad${format}File`,
  `VipsForeignLoad${format}Buffer`,
]);
const TIMEOUT_SECONDS = 10;
/** What the decoder says after them, perhaps behind warnings. */
export const TIMEOUT_ERROR = /^timeout: /m;
/** What it says of an image with more than `maxPixels`. */
const PIXEL_LIMIT_ERROR = /exceeds pixel limit/;

/** The decoder's package. It is required: to import CommonJS, Node compiles a reader of it that leaves 9 MB (RSS). */
function requireSharp(): typeof import('sharp', { with: { 'resolution-mode': 'require' } }) {
  return createRequire(import.meta.url)('sharp');
}

/**
 * Loads the decoder into this process; the main thread must have done so before another one uses it. Its machine code
 * is enough for that: what sharp puts around it takes 100 ms of processor time, a sixth of the first preview, for
 * nothing that the main thread calls. It is a package for each system, named after the C library where there are two.
 */
export function loadDecoder(): void {
  const load = createRequire(createRequire(import.meta.url).resolve('sharp'));
  for (const system of [process.platform, `${process.platform}musl`]) {
    try {
      load(`@img/sharp-${system}-${process.arch}/sharp.node`);
      return;
    } catch {
      // Not for this system, or built here: sharp knows where.
    }
  }
  requireSharp();
}

function loadSharp(): SharpFunction {
  const sharp = requireSharp();
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: LOADERS });
  return sharp;
}

export function opened(
  sharp: SharpFunction,
  bytes: Buffer,
  { maxPixels, ignoreIcc = false }: { maxPixels: number; ignoreIcc?: boolean },
): Sharp {
  const options = { failOn: 'none', limitInputPixels: maxPixels, sequentialRead: true, ignoreIcc } as const;
  return sharp(bytes, options).timeout({ seconds: TIMEOUT_SECONDS });
}

export type InspectedMedia = Awaited<ReturnType<Thumbnailer['inspect']>>;

/** Thumbnails to make of an image whose type by content is one of `DECODABLE_TYPES`. */
export interface RenderJob {
  type: string;
  sizes: readonly ThumbnailSize[];
  /** Images with as many pixels or more are not decoded. */
  maxPixels: number;
  size: PixelSize;
}

export interface Thumbnail extends ThumbnailKey {
  sizeBytes: number;
  /** Absent: they are a file already. */
  bytes?: Buffer;
}

/** Thumbnails, or why an image cannot be decoded. */
export type RenderedImage = { thumbnails: Thumbnail[] } | { decodeError: string };

interface RawPixels extends PixelSize {
  data: Buffer;
  /** 2 and 4: the last one is alpha, not multiplied into the others. */
  channels: 1 | 2 | 3 | 4;
}

/** Images in the making at once. Each keeps one of libuv's four threads busy, one of which is left for files. */
export const MAX_AT_ONCE = 3;

/** Thumbnails live two days: speed counts more than the tenth of size that more effort would save. */
const JPEG_OUTPUT = { quality: 80, optimiseCoding: false };
const PNG_OUTPUT = { compressionLevel: 1 };
/** Of all but crops: a little less sharp than Lanczos, and cheaper. */
const KERNEL = 'linear';
/** As much as a JPEG can have. Decoders work in whole rows, and rows of millions take gigabytes. */
const MAX_SIDE_PIXELS = 65_535;
/** Crops of very long images would need nearly all their pixels. */
const MAX_BASE_PIXELS = 4_000_000;
/** ICC.1:2022, 10.16, `multiProcessElementsType`: as many steps as its writer likes, eight bytes each. */
const PROFILE_PROGRAM = 'mpet';
/** Whether these have transparent parts makes no difference to their thumbnails, or is known. */
const SURE_ALPHA: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif']);
/** A black square. */
const DRAWN: RawPixels = { data: Buffer.alloc(64 * 64 * 3), width: 64, height: 64, channels: 3 };

/**
 * Makes thumbnails: one decode to the largest size needed, all others from that. The decoder is loaded at the
 * first image, because it takes memory that a service without previews need not spend.
 */
export class Thumbnailer {
  #loaded: SharpFunction | null = null;
  readonly #decoding = workQueue({ maxRunning: MAX_AT_ONCE, maxWaiting: Infinity });
  readonly #large = workQueue({ maxRunning: 1, maxWaiting: Infinity });

  /**
   * What bytes are: `size` is that of an image after EXIF orientation, by its head, `null` where nothing is decoded, too
   * large things included, or `maxPixels` is `null`: then it is not looked for.
   */
  async inspect(bytes: Buffer, maxPixels: number | null) {
    const sniffedType = sniffImageType(bytes.subarray(0, SNIFF_BYTES));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const found = maxPixels === null ? null : await this.#sizeByHead(bytes, sniffedType, maxPixels);
    const isTooLarge = found === 'too_large';
    return { sizeBytes: bytes.length, sha256, sniffedType, size: isTooLarge ? null : found, isTooLarge };
  }

  /** Makes thumbnails of an image's first frame. Never rejects. */
  async render(file: Buffer, job: RenderJob): Promise<RenderedImage> {
    try {
      return { thumbnails: await this.make(file, job) };
    } catch (error) {
      return { decodeError: error instanceof Error ? error.message : String(error) };
    }
  }

  /** The same; rejects with the decoder's error, and for images of too many pixels. */
  async make(file: Buffer, job: RenderJob): Promise<Required<Thumbnail>[]> {
    const { type, maxPixels, size } = job;
    const sharp = this.#sharp;
    const bytes = neededBytes(file, type);
    const isKnown = SURE_ALPHA.has(type) && !mayHaveProfile(bytes);
    const facts = isKnown
      ? { ...size, hasAlpha: false, ignoreIcc: false }
      : await this.#facts(bytes, maxPixels);
    const pixels = facts.width * facts.height;
    const source = opened(sharp, bytes, { maxPixels, ignoreIcc: facts.ignoreIcc });
    const make = () =>
      this.#decoding.run({ client: undefined }, () => decode(sharp, source, { ...facts, ...job }));
    // One that waits for its turn among the large ones keeps no slot from small ones.
    return isLarge(bytes, { type, pixels }) ? this.#large.run({ client: undefined }, make) : make();
  }

  /** Loads the decoder and makes a thumbnail of a JPEG that is drawn for it. */
  async warmUp(): Promise<void> {
    const sharp = this.#sharp;
    const drawn = await fromRaw(sharp, DRAWN).jpeg(JPEG_OUTPUT).toBuffer();
    const sizes = [{ width: 32, height: 32, method: 'crop' }] as const;
    const size = { width: DRAWN.width, height: DRAWN.height };
    await this.make(drawn, { type: 'image/jpeg', sizes, maxPixels: MAX_BASE_PIXELS, size });
  }

  get #sharp(): SharpFunction {
    return (this.#loaded ??= loadSharp());
  }

  /** Pixel size after EXIF orientation as the head says; `null` for what the decoder would refuse. Never rejects. */
  async #sizeByHead(
    file: Buffer,
    type: string | null,
    maxPixels: number,
  ): Promise<PixelSize | 'too_large' | null> {
    if (type === null || !DECODABLE_TYPES.has(type)) return null;
    try {
      // Scans are not what is opened of a JPEG here.
      const bytes = type === 'image/jpeg' ? file : neededBytes(file, type);
      const { width, height } = await this.#facts(bytes, maxPixels);
      return { width, height };
    } catch (error) {
      return error instanceof Error && PIXEL_LIMIT_ERROR.test(error.message) ? 'too_large' : null;
    }
  }

  /** Pixel size after EXIF orientation, and whether parts may be transparent. Rejects for too many pixels. */
  async #facts(bytes: Buffer, maxPixels: number): Promise<Facts> {
    const { autoOrient, hasAlpha, icc } = await opened(this.#sharp, bytes, { maxPixels }).metadata();
    const { width, height } = autoOrient;
    if (width * height >= maxPixels) throw new Error(`${width} × ${height} exceeds pixel limit`);
    if (Math.max(width, height) > MAX_SIDE_PIXELS) throw new Error(`${width} × ${height} is too long`);
    return { hasAlpha, width, height, ignoreIcc: icc?.includes(PROFILE_PROGRAM) === true };
  }
}

interface Facts extends PixelSize {
  hasAlpha: boolean;
  /**
   * Whether its colour profile is a program instead of tables. The decoder runs one for 40,000 colours before the first
   * pixel, and cannot be stopped meanwhile: 400 bytes of PNG take it minutes.
   */
  ignoreIcc: boolean;
}

async function decode(
  sharp: SharpFunction,
  source: Sharp,
  { width, height, hasAlpha, type, sizes }: Facts & Pick<RenderJob, 'type' | 'sizes'>,
): Promise<Required<Thumbnail>[]> {
  const image = { width, height };
  const base = await toRaw(source.autoOrient(), shrunk(image, sizes));
  // Small ones are made of a small step in between: to read all pixels of the base for each of them costs more.
  const isSmall = (size: ThumbnailSize): boolean => shrinkFactor(image, size) <= base.width / width / 2;
  const small = sizes.filter(isSmall);
  const step = small.length < 2 ? base : await toRaw(fromRaw(sharp, base), shrunk(image, small));
  // For photographs JPEG.
  const isPng = hasAlpha || type === 'image/png' || type === 'image/gif';
  const contentType = isPng ? 'image/png' : 'image/jpeg';
  const thumbnails: Required<Thumbnail>[] = [];
  for (const size of planThumbnails(image, sizes)) {
    const bytes = await derive(sharp, isSmall(size) ? step : base, { size, contentType });
    thumbnails.push({ contentType, bytes, sizeBytes: bytes.length, ...size });
  }
  return thumbnails;
}

/** The smallest form of an image from which all sizes can be made. */
function shrunk(image: PixelSize, sizes: readonly ThumbnailSize[]): PixelSize {
  const needed = Math.max(...sizes.map((size) => shrinkFactor(image, size)));
  return scaledBy(Math.min(needed, Math.sqrt(MAX_BASE_PIXELS / (image.width * image.height))), image);
}

async function toRaw(source: Sharp, { width, height }: PixelSize): Promise<RawPixels> {
  const { data, info } = await source
    .resize(width, height, { fit: 'fill', kernel: KERNEL })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: info.channels };
}

async function derive(
  sharp: SharpFunction,
  pixels: RawPixels,
  { size: { width, height, method }, contentType }: { size: ThumbnailSize; contentType: string },
): Promise<Buffer> {
  const isSame = pixels.width === width && pixels.height === height;
  const how = method === 'crop' ? ({ fit: 'cover' } as const) : ({ fit: 'fill', kernel: KERNEL } as const);
  const source = fromRaw(sharp, pixels);
  const thumbnail = isSame ? source : source.resize(width, height, how);
  const encoded = contentType === 'image/png' ? thumbnail.png(PNG_OUTPUT) : thumbnail.jpeg(JPEG_OUTPUT);
  return encoded.toBuffer();
}

function fromRaw(sharp: SharpFunction, { data, width, height, channels }: RawPixels): Sharp {
  return sharp(data, { raw: { width, height, channels } });
}
