import type { Logger } from '../../../base/logger.js';
import type { ThumbnailSize } from '../image/thumbnail-sizes.js';
import { MAX_AT_ONCE } from '../image/thumbnailer.js';
import { WorkQueue } from '../../../base/worker/work-queue.js';
import type { KeptMedia, KeptThumbnail, MediaHands, MediaPlaces, PictureWish } from './media-jobs.js';

/** Settings of the work on media. */
export interface MediaWorkOptions {
  hands: MediaHands;
  /** Setting thumbnail_sizes. */
  sizes: readonly ThumbnailSize[];
  /** Setting max_image_pixels: pictures with as many pixels or more are not decoded. */
  maxPixels: number;
  /** Setting previews.blurhash. */
  blurhash: boolean;
  logger: Logger;
}

/** A download to keep. */
export interface KeepWish {
  places: MediaPlaces;
  /** Whether a picture is decoded. */
  thumbnails: boolean;
  /** Whether the bytes may be moved away: nobody needs them meanwhile, or ever again without `onBack`. */
  mayTake?: boolean;
  /** Told where the bytes are when they were moved there and back. */
  onBack?: (bytes: Buffer) => void;
  /** Gives up waiting for a turn. */
  signal?: AbortSignal;
}

/** More than there are processors in a small machine: while one waits for the disk, others compute. */
const MAX_RUNNING = MAX_AT_ONCE + 1;
const MAX_WAITING = 128;

/** Has media stored and pictures decoded, a few at a time, in order of arrival. */
export class MediaWork {
  readonly #making = new WorkQueue({ maxRunning: MAX_RUNNING, maxWaiting: MAX_WAITING });

  constructor(private readonly options: MediaWorkOptions) {}

  /**
   * Puts a download in its places, with thumbnails when it is a picture. A picture that cannot be decoded is logged.
   * Nothing is left when it rejects: with the file system's error, or 503 `overloaded` when too many pictures wait.
   */
  async keep(bytes: Buffer, wish: KeepWish): Promise<KeptMedia> {
    const { hands, logger } = this.options;
    const { places, thumbnails, mayTake = false, onBack, signal } = wish;
    const picture = thumbnails ? this.#wish() : null;
    const keep = (): Promise<KeptMedia> => hands.keep({ bytes, places, picture }, { mayTake, onBack });
    const kept = thumbnails ? await this.#making.run(keep, signal) : await keep();
    const { fault, sniffedType } = kept;
    if (fault !== null) logger.info({ fault, type: sniffedType }, 'a picture cannot be decoded');
    return kept;
  }

  /** Makes thumbnails of a stored picture, of these sizes; none when it cannot be decoded. Errors as `keep`. */
  async makeThumbnails(
    places: MediaPlaces,
    type: string,
    sizes: readonly ThumbnailSize[],
  ): Promise<KeptThumbnail[]> {
    const { hands, logger } = this.options;
    const job = { places, type, picture: { ...this.#wish(), sizes } };
    const { thumbnails, fault } = await this.#making.run(() => hands.makeThumbnails(job));
    if (fault !== null) logger.info({ fault, type }, 'a picture cannot be decoded');
    return thumbnails;
  }

  #wish(): PictureWish {
    const { sizes, maxPixels, blurhash } = this.options;
    return { sizes, maxPixels, blurhash };
  }
}
