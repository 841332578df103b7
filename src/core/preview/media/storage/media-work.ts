import type { FairQueue, FairQueueOptions, QueueLoad } from '../../../base/fair-queue.js';
import type { Logger } from '../../../base/logger.js';
import type { PixelSize, ThumbnailSize } from '../image/thumbnail-sizes.js';
import { MAX_AT_ONCE } from '../image/thumbnailer.js';
import type { Client } from '../../../base/client.js';
import { workQueue } from '../../../base/worker/work-queue.js';
import type {
  DecodedImage,
  KeptMedia,
  MadeThumbnails,
  MediaPaths,
  MediaProcessor,
  OnDecoded,
} from './media-jobs.js';

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
  onLimit?: FairQueueOptions['onLimit'];
  /** Told of downloads that wait to be kept. */
  onKeepLimit?: FairQueueOptions['onLimit'];
}

/** A download to keep. */
export interface KeepOptions extends WorkFor {
  paths: MediaPaths;
  /** Whether the head of an image may tell its size. */
  looksAtHead: boolean;
  /** Whether the bytes may be moved away: nobody needs them meanwhile, or ever again without `onBack`. */
  mayTake?: boolean;
  /** Told where the bytes are when they were moved there and back. */
  onBack?: (bytes: Buffer) => void;
}

/** On whose behalf work is done, and what ends the wait for it. */
export interface WorkFor {
  client?: Client | undefined;
  signal?: AbortSignal | undefined;
}

/** An image at its path, of which thumbnails are wanted. */
export interface StoredImage {
  paths: MediaPaths;
  /** Its type by content, one of `DECODABLE_TYPES`. */
  type: string;
  /** `null`: not known. */
  size: PixelSize | null;
}

/** Who wants thumbnails, and who is told that the image is decoded. */
export interface ThumbnailsFor extends WorkFor {
  onDecoded?: OnDecoded | undefined;
}

/** An image that was decoded, whose thumbnails are being made. */
export interface BegunThumbnails {
  /** `null`: it cannot be decoded. */
  image: DecodedImage | null;
  /** May reject as `makeThumbnails`. */
  made: Promise<MadeThumbnails>;
}

/** More than there are processors in a small machine: while one waits for the disk, others compute. */
const MAX_RUNNING = MAX_AT_ONCE + 1;
const RESERVED = 1;
const MAX_WAITING = 128;
/** Of each that is kept there is a copy in memory, where several read it. */
const MAX_KEEPING = 7;
const MAX_WAITING_TO_KEEP = 1000;

/** Has media stored, and images decoded: a few at a time, by turns of clients. */
export class MediaWork {
  readonly #making: FairQueue;
  readonly #keeping: FairQueue;

  constructor(private readonly options: MediaWorkOptions) {
    const { onLimit, onKeepLimit } = options;
    this.#making = workQueue({
      maxRunning: MAX_RUNNING + RESERVED,
      reserved: RESERVED,
      maxWaiting: MAX_WAITING,
      onLimit,
    });
    this.#keeping = workQueue({
      maxRunning: MAX_KEEPING + RESERVED,
      reserved: RESERVED,
      maxWaiting: MAX_WAITING_TO_KEEP,
      onLimit: onKeepLimit,
    });
  }

  /** Images being made and waiting now. */
  get load(): QueueLoad {
    return this.#making.load;
  }

  /** Downloads being kept and waiting for it now. */
  get keepLoad(): QueueLoad {
    return this.#keeping.load;
  }

  /**
   * Puts a download at its path. Nothing is left when it rejects: with the file system's error, 503 `overloaded` when
   * too many wait, or the signal's reason. What is to have a blurhash has to be decoded, so its head is not looked at.
   */
  keep(
    bytes: Buffer,
    { paths, looksAtHead, mayTake = false, onBack, client, signal }: KeepOptions,
  ): Promise<KeptMedia> {
    const { processor, blurhash } = this.options;
    const maxPixels = looksAtHead && !blurhash ? this.options.maxPixels : null;
    const keep = (): Promise<KeptMedia> => processor.keep({ bytes, paths, maxPixels }, { mayTake, onBack });
    return this.#keeping.run({ client }, keep, signal);
  }

  /**
   * Makes thumbnails of a stored image, of these sizes or of all it should have; none when it cannot be decoded, which
   * is logged. Rejects with the file system's error, or 503 `overloaded` when too many images wait.
   */
  async makeThumbnails(
    { paths, type, size }: StoredImage,
    sizes: readonly ThumbnailSize[] = this.options.sizes,
    { onDecoded, client, signal }: ThumbnailsFor = {},
  ): Promise<MadeThumbnails> {
    const { processor, logger, maxPixels, blurhash } = this.options;
    const job = { paths, type, image: { maxPixels, blurhash, sizes, size } };
    const made = await this.#making.run({ client }, () => processor.makeThumbnails(job, onDecoded), signal);
    if (made.decodeError !== null)
      logger.info({ error: made.decodeError, type }, 'an image cannot be decoded');
    return made;
  }

  /** The same for all sizes, resolved as soon as the image is decoded; rejects with what goes wrong until then. */
  beginThumbnails(image: StoredImage, whose?: WorkFor): Promise<BegunThumbnails> {
    return new Promise((resolve, reject) => {
      const onDecoded: OnDecoded = (decoded) => resolve({ image: decoded, made });
      const made = this.makeThumbnails(image, undefined, { onDecoded, ...whose });
      made.then(({ image: kept }) => resolve({ image: kept, made }), reject);
    });
  }
}
