import type { Client, FairQueue, FairQueueOptions, QueueLoad } from '../../base/fair-queue.js';
import type { Clock } from '../../base/clock.js';
import { ApiError } from '../../base/errors/api-error.js';
import type { Logger } from '../../base/logger.js';
import { workQueue } from '../../base/worker/work-queue.js';
import { S3Failure } from '../../net/object-storage/s3-failure.js';
import { isStoreFull, isStoreUnavailable } from '../../store/store-errors.js';
import type { MediaInspector } from '../preview-worker.js';
import { filePath, newMediaId } from './media-paths.js';
import type { MediaRowStore, NewMedia } from './media-row-store.js';
import { storageError, type MediaStorage } from './storage/media-storage.js';
import type { ThumbnailMaking } from './thumbnail-making.js';

export interface MediaStoreOptions {
  storage: MediaStorage;
  rows: MediaRowStore;
  inspector: MediaInspector;
  making: ThumbnailMaking;
  maxPixels: number;
  clock: Clock;
  logger: Logger;
  onLimit?: FairQueueOptions['onLimit'];
}

/** What is known of a download beside its bytes. */
export type MediaDetails = Pick<NewMedia, 'userId' | 'contentType' | 'uploadName' | 'urlCache'>;

export interface SaveOptions {
  /** Whether images get width, height and thumbnails. */
  thumbnails: boolean;
  client?: Client | undefined;
  signal?: AbortSignal | undefined;
}

/** Seven downloads are stored at once, and one more of a light user. */
const MAX_STORING = 8;
const MAX_WAITING = 1000;

/** Stores media: the file first, then the row, so that no row ever lacks its file. Thumbnails follow. */
export class MediaStore {
  readonly #storing: FairQueue;

  constructor(private readonly options: MediaStoreOptions) {
    const { onLimit } = options;
    this.#storing = workQueue({ maxRunning: MAX_STORING, maxWaiting: MAX_WAITING, onLimit });
  }

  get load(): QueueLoad {
    return this.#storing.load;
  }

  /**
   * Stores a download, whose `body` may be another buffer afterwards. Nothing is left when it rejects: 500 `disk_full`
   * (of the media or the database) or `media_not_written`, 503 `overloaded`, or the error of the database.
   */
  async save(
    source: { body: Buffer },
    { contentType, uploadName, ...details }: MediaDetails,
    { thumbnails, client, signal }: SaveOptions,
  ): Promise<NewMedia> {
    const { clock, inspector, making, maxPixels, rows, storage } = this.options;
    const createdTs = clock.now();
    const mediaId = newMediaId(createdTs);
    const store = async () => {
      const { body, ...found } = await inspector.inspect(source.body, thumbnails ? maxPixels : null);
      source.body = body;
      await storage.put(filePath(mediaId), body, found.sha256);
      return found;
    };
    try {
      const stored = this.#storing.run({ client }, store, signal);
      const { size, ...found } = await stored.catch((error: unknown) => {
        throw error === signal?.reason ? error : this.#failure(error);
      });
      const texts = {
        contentType: withoutNul(contentType),
        uploadName: uploadName && withoutNul(uploadName),
      };
      const pixels = { width: size?.width ?? null, height: size?.height ?? null };
      const media = { mediaId, createdTs, ...details, ...texts, ...found, ...pixels };
      await rows.insert(media).catch((error: unknown) => {
        throw isStoreFull(error) ? this.#failure(error) : error;
      });
      if (size !== null) making.follow(media, client);
      return media;
    } catch (error) {
      // When storage or database went away nobody knows what is there; the garbage collection finds the rest.
      if (!(error instanceof S3Failure || isStoreUnavailable(error)))
        await storage.remove(filePath(mediaId)).catch(() => {});
      throw error;
    }
  }

  #failure(error: unknown): ApiError {
    if (error instanceof ApiError) return error;
    const failure = storageError(error);
    const { reason, detail, message } = failure;
    this.options.logger.error({ err: error, reason }, detail ?? message);
    return failure;
  }
}

/** PostgreSQL keeps no text with this character. */
function withoutNul(text: string): string {
  return text.replaceAll('\0', '');
}
