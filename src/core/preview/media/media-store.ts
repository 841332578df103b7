import {
  workQueue,
  type Client,
  type FairQueue,
  type FairQueueOptions,
  type QueueLoad,
} from '../../base/fair-queue.js';
import type { Clock } from '../../base/clock.js';
import { abortable, isCancelled } from '../../base/deadline.js';
import { ApiError } from '../../base/errors/api-error.js';
import type { Logger } from '../../base/logger.js';
import { S3Failure } from '../../net/object-storage/s3-bucket.js';
import { isStoreFull, isStoreUnavailable } from '../../store/store-errors.js';
import { filePath, newMediaId, type ThumbnailKey, THUMBNAIL_METHODS } from './media-paths.js';
import { storageError, type MediaStorage } from './storage/media-storage.js';
import type { InspectedMedia } from './image/thumbnailer.js';
import { isOneOf } from '../../base/json/is-record.js';
import type { Database, MediaRow as Row } from '../../store/db.js';
import { plainRow, type PlainRow } from '../../store/plain-row.js';
import { insertRows, upsertThumbnails } from '../../store/hot-sql.js';
import { hostColumns } from '../../base/text/url.js';

export interface ThumbnailRow extends ThumbnailKey {
  sizeBytes: number;
  animated: boolean;
}

export type MediaRow = PlainRow<Omit<Row, 'host' | 'hostEnd'>>;

/** It has not been loaded, removed or lost. */
export type NewMedia = Omit<MediaRow, 'lastAccessTs' | 'fileRemovedTs' | 'missingSinceTs'>;

/** Whether it has more pixels than `max_image_pixels`, which no row says. */
export type SavedMedia = NewMedia & Pick<InspectedMedia, 'isTooLarge'>;

export class MediaRowStore {
  constructor(private readonly database: Database) {}

  async find(mediaId: string): Promise<MediaRow | null> {
    const omit = { host: true, hostEnd: true };
    const row = await this.database.client.media.findFirst({ where: { mediaId }, omit });
    return row && plainRow(row);
  }

  async insert(row: NewMedia): Promise<void> {
    const data = { ...row, createdTs: BigInt(row.createdTs), ...hostColumns(row.urlCache) };
    await insertRows(this.database.client, { table: 'media' }, [data]);
  }

  /** The thumbnails of a media, in no particular order. */
  async listThumbnails(mediaId: string): Promise<ThumbnailRow[]> {
    const { mediaThumbnail } = this.database.client;
    const rows = await mediaThumbnail.findMany({ where: { mediaId }, omit: { mediaId: true } });
    return rows.flatMap(({ method, ...row }) =>
      isOneOf(THUMBNAIL_METHODS, method) ? [{ ...row, method }] : [],
    );
  }

  /** Stores thumbnails made later; `false` when the media has been removed meanwhile. */
  async saveThumbnails(mediaId: string, thumbnails: readonly ThumbnailRow[]): Promise<boolean> {
    return thumbnails.length === 0 || upsertThumbnails(this.database.client, mediaId, thumbnails);
  }

  /** Notes that an image cannot be decoded after all. */
  async forgetSize(mediaId: string): Promise<void> {
    await this.database.client.media.updateMany({ where: { mediaId }, data: { width: null, height: null } });
  }

  async deleteThumbnail(mediaId: string, thumbnail: ThumbnailRow): Promise<void> {
    const { width, height, method, animated } = thumbnail;
    const where = { mediaId, width, height, method, animated };
    await this.database.client.mediaThumbnail.deleteMany({ where });
  }

  async noteAccess(mediaId: string, nowTs: number): Promise<void> {
    const data = { lastAccessTs: BigInt(nowTs) };
    await this.database.client.media.updateMany({ where: { mediaId }, data });
  }
}

/** What everything about media works with. */
export interface MediaParts {
  storage: MediaStorage;
  rows: MediaRowStore;
  clock: Clock;
  logger: Logger;
}

interface MediaStoreOptions extends MediaParts {
  /** Makes thumbnails behind the answer. */
  making: { follow(image: NewMedia, client: Client | undefined): void };
  maxPixels: number;
  onLimit?: FairQueueOptions['onLimit'];
}

/** What is known of a download beside its bytes. */
export type MediaDetails = Pick<NewMedia, 'userId' | 'contentType' | 'uploadName' | 'urlCache'>;

export interface SaveOptions {
  /** Whether images get width, height and thumbnails. */
  thumbnails: boolean;
  client?: Client | undefined;
  signal: AbortSignal;
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
   * Stores a download, whose `body` may be another buffer afterwards. Nothing is left when it rejects, or once a disk that
   * hung goes on: 500 `disk_full` (of the media or the database) or `media_not_written`, also when the signal's limit is
   * over, 503 `overloaded`, the error of the database, or the signal's reason.
   */
  async save(
    source: { body: Buffer },
    { contentType, uploadName, ...details }: MediaDetails,
    { thumbnails, client, signal }: SaveOptions,
  ): Promise<SavedMedia> {
    const { clock, making, maxPixels, rows, storage } = this.options;
    const createdTs = clock.now();
    const mediaId = newMediaId(createdTs);
    let hasBegun = false;
    const store = async () => {
      hasBegun = true;
      const { body, ...found } = await storage.store(mediaId, source.body, thumbnails ? maxPixels : null);
      source.body = body;
      return found;
    };
    const storing = this.#storing.run({ client }, store, signal);
    const stored = whileInTime(storing, signal, () => hasBegun);
    const remove = () => storage.remove(filePath(mediaId)).catch(() => {});
    try {
      const { size, isTooLarge, ...found } = await stored.catch((error: unknown) => {
        throw error === signal.reason ? error : this.#failure(error);
      });
      const label = {
        contentType: withoutNul(contentType),
        uploadName: uploadName && withoutNul(uploadName),
      };
      const pixels = { width: size?.width ?? null, height: size?.height ?? null };
      const media = { mediaId, createdTs, ...details, ...label, ...found, ...pixels };
      await rows.insert(media).catch((error: unknown) => {
        throw isStoreFull(error) ? this.#failure(error) : error;
      });
      if (size !== null) making.follow(media, client);
      return { ...media, isTooLarge };
    } catch (error) {
      // When storage or database went away nobody knows what is there; the garbage collection finds the rest.
      if (signal.aborted) void storing.then(remove, remove);
      else if (!(error instanceof S3Failure || isStoreUnavailable(error))) await remove();
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

/** The client does not wait for a disk that hangs; the slot does. */
function whileInTime<T>(storing: Promise<T>, signal: AbortSignal, hasBegun: () => boolean): Promise<T> {
  return abortable<T>(signal, (resolve, reject) => {
    storing.then(resolve, reject);
    const late = () => reject(isCancelled(signal) ? signal.reason : new Error('writing takes too long'));
    return () => (hasBegun() ? late() : undefined);
  });
}

/** PostgreSQL keeps no text with this character. */
function withoutNul(text: string): string {
  return text.replaceAll('\0', '');
}
