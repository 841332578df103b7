import type { Asker } from '../../../base/places/asker.js';
import type { PlaceBound } from '../../../base/places/fair-places.js';
import type { PlaceLoad } from '../../../base/places/places.js';
import type { Logger } from '../../../base/logger.js';
import type { ThumbnailSize } from '../image/thumbnail-sizes.js';
import { MAX_AT_ONCE } from '../image/thumbnailer.js';
import { WorkQueue } from '../../../base/worker/work-queue.js';
import type { KeptMedia, KeptThumbnail, MediaProcessor, MediaPaths, ImageOptions } from './media-jobs.js';

/** Settings of the work on media. */
export interface MediaWorkOptions {
  processor: MediaProcessor;
  /** Setting thumbnail_sizes. */
  sizes: readonly ThumbnailSize[];
  /** Setting max_image_pixels: images with as many pixels or more are not decoded. */
  maxPixels: number;
  /** Setting previews.blurhash. */
  blurhash: boolean;
  logger: Logger;
  onBound?: ((bound: PlaceBound, about: string) => void) | undefined;
}

/** A download to keep. */
export interface KeepOptions {
  paths: MediaPaths;
  /** Whether an image is decoded. */
  thumbnails: boolean;
  /** Whether the bytes may be moved away: nobody needs them meanwhile, or ever again without `onBack`. */
  mayTake?: boolean;
  /** Told where the bytes are when they were moved there and back. */
  onBack?: (bytes: Buffer) => void;
  /** Whose turn it is. */
  asker?: Asker;
  /** Gives up waiting for a turn. */
  signal?: AbortSignal;
}

/** More than there are processors in a small machine: while one waits for the disk, others compute. */
const MAX_RUNNING = MAX_AT_ONCE + 1;
const RESERVED = 1;
const MAX_WAITING = 128;

/** Has media stored and images decoded, a few at a time, by turns of askers. */
export class MediaWork {
  readonly #making: WorkQueue;

  constructor(private readonly options: MediaWorkOptions) {
    const { onBound } = options;
    this.#making = new WorkQueue({
      maxRunning: MAX_RUNNING,
      reserved: RESERVED,
      maxWaiting: MAX_WAITING,
      onBound,
    });
  }

  /** Images being made and waiting now. */
  get load(): PlaceLoad {
    return this.#making.load;
  }

  /**
   * Puts a download at its paths, with thumbnails when it is an image. An image that cannot be decoded is logged.
   * Nothing is left when it rejects: with the file system's error, or 503 `overloaded` when too many images wait.
   */
  async keep(bytes: Buffer, options: KeepOptions): Promise<KeptMedia> {
    const { processor, logger } = this.options;
    const { paths, thumbnails, mayTake = false, onBack, asker, signal } = options;
    const image = thumbnails ? this.#imageOptions() : null;
    const keep = (): Promise<KeptMedia> => processor.keep({ bytes, paths, image }, { mayTake, onBack });
    const kept = thumbnails ? await this.#making.run(keep, { asker, signal }) : await keep();
    const { decodeError, sniffedType } = kept;
    if (decodeError !== null)
      logger.info({ error: decodeError, type: sniffedType }, 'an image cannot be decoded');
    return kept;
  }

  /** Makes thumbnails of a stored image, of these sizes; none when it cannot be decoded. Errors as `keep`. */
  async makeThumbnails(
    paths: MediaPaths,
    type: string,
    sizes: readonly ThumbnailSize[],
  ): Promise<KeptThumbnail[]> {
    const { processor, logger } = this.options;
    const job = { paths, type, image: { ...this.#imageOptions(), sizes } };
    const { thumbnails, decodeError } = await this.#making.run(() => processor.makeThumbnails(job));
    if (decodeError !== null) logger.info({ error: decodeError, type }, 'an image cannot be decoded');
    return thumbnails;
  }

  #imageOptions(): ImageOptions {
    const { sizes, maxPixels, blurhash } = this.options;
    return { sizes, maxPixels, blurhash };
  }
}
