import type { Clock } from '../../base/clock.js';
import { ApiError } from '../../base/errors/api-error.js';
import type { FairQueue, FairQueueOptions, QueueLoad } from '../../base/fair-queue.js';
import type { Logger } from '../../base/logger.js';
import { counted } from '../../base/text/counted.js';
import { SILENT_TRACE, type Trace } from '../../base/trace.js';
import { workQueue } from '../../base/worker/work-queue.js';
import { S3Failure } from '../../net/object-storage/s3-failure.js';
import { isStoreFull, isStoreUnavailable } from '../../store/store-errors.js';
import type { MediaInspector } from '../preview-worker.js';
import { DECODABLE_TYPES } from './image/image-type.js';
import type { InspectedMedia } from './image/thumbnailer.js';
import type { PixelSize } from './image/thumbnail-sizes.js';
import { newMediaId } from './media-id.js';
import { filePath, thumbnailFolder } from './media-paths.js';
import type { MediaRowStore, NewMedia } from './media-row-store.js';
import { storageError } from './storage-error.js';
import type { MediaStorage } from './storage/media-storage.js';
import type { MadeThumbnails, ThumbnailMaking, ThumbnailSettings, WorkFor } from './thumbnail-making.js';

export interface MediaStoreOptions {
  storage: MediaStorage;
  rows: MediaRowStore;
  inspector: MediaInspector;
  making: ThumbnailMaking;
  settings: Pick<ThumbnailSettings, 'maxPixels' | 'blurhash'>;
  clock: Clock;
  logger: Logger;
  /** Called for downloads that wait to be stored. */
  onLimit?: FairQueueOptions['onLimit'];
}

/** What is known of a download beside its bytes. */
export interface MediaDetails {
  /** Owner. */
  userId: string;
  /** As the origin stated it. */
  contentType: string;
  /** File name as the origin stated it; `null` when it did not. */
  uploadName: string | null;
  /** The fetched address; `null` keeps the media from the cleanup of previews. */
  urlCache: string | null;
}

/** How a download is stored. */
export interface SaveOptions extends WorkFor {
  /** Whether images are decoded: thumbnails, width and height. */
  thumbnails: boolean;
  /** Told how thumbnails came about; they are made before the answer then. */
  trace?: Trace;
}

/** A stored media as its maker learns of it. */
export interface SavedMedia extends NewMedia {
  /** Only for decoded images, and only when the setting asks for it. */
  blurhash: string | null;
}

/** Seven downloads are stored at once, and one more of a light user. */
const MAX_STORING = 8;
const MAX_WAITING = 1000;
const UNDECODED: MadeThumbnails = { image: null, decodeError: null, decodeMs: 0 };

/** Stores media: the file first, then the row, so that no row ever lacks its file. */
export class MediaStore {
  readonly #storing: FairQueue;

  constructor(private readonly options: MediaStoreOptions) {
    const { onLimit } = options;
    this.#storing = workQueue({ maxRunning: MAX_STORING, reserved: 1, maxWaiting: MAX_WAITING, onLimit });
  }

  /** Downloads being stored and waiting for it now. */
  get load(): QueueLoad {
    return this.#storing.load;
  }

  /**
   * Stores a download, whose `body` may be another buffer afterwards. Where the head of an image tells its size, its
   * thumbnails follow later. Nothing is left when it rejects: 500 `disk_full` (of the media or the database) or
   * `media_not_written`, 503 `overloaded`, or the error of the database.
   */
  async save(
    source: { body: Buffer },
    details: MediaDetails,
    { thumbnails, trace = SILENT_TRACE, client, signal }: SaveOptions,
  ): Promise<SavedMedia> {
    const { clock, making, settings } = this.options;
    const createdTs = clock.now();
    const mediaId = newMediaId(createdTs);
    // A watched trial reports how thumbnails are made; a blurhash needs the pixels.
    const mayFollow = thumbnails && trace === SILENT_TRACE && !settings.blurhash;
    try {
      const maxPixels = mayFollow ? settings.maxPixels : null;
      const stored = this.#storeFiles(mediaId, source, { thumbnails, maxPixels, trace, client, signal });
      const { found, image } = await stored.catch((error: unknown) => {
        throw error === signal?.reason ? error : this.#failure(error);
      });
      const media = { mediaId, createdTs, ...rowOf(found, image ?? found.size, details) };
      await this.options.rows.insert(media, image?.thumbnails ?? []).catch((error: unknown) => {
        throw isStoreFull(error) ? this.#failure(error) : error;
      });
      if (found.size !== null) making.follow(media, client);
      return { blurhash: image?.blurhash ?? null, ...media };
    } catch (error) {
      await this.#discard(mediaId, error);
      throw error;
    }
  }

  async #storeFiles(
    mediaId: string,
    source: { body: Buffer },
    {
      thumbnails,
      maxPixels,
      trace,
      ...work
    }: WorkFor & {
      thumbnails: boolean;
      maxPixels: number | null;
      trace: Trace;
    },
  ): Promise<{ found: InspectedMedia; image: MadeThumbnails['image'] }> {
    const { inspector, storage } = this.options;
    const store = async (): Promise<InspectedMedia> => {
      const { body, ...found } = await inspector.inspect(source.body, maxPixels);
      source.body = body;
      await storage.put(filePath(mediaId), body, found.sha256);
      return found;
    };
    const found = await this.#storing.run({ client: work.client }, store, work.signal);
    if (!thumbnails || found.size !== null) return { found, image: null };
    const bytes = { body: source.body, type: found.sniffedType };
    return { found, image: await this.#makeThumbnails(mediaId, bytes, { ...work, trace }) };
  }

  async #makeThumbnails(
    mediaId: string,
    { body, type }: { body: Buffer; type: string | null },
    { trace, ...work }: WorkFor & { trace: Trace },
  ): Promise<MadeThumbnails['image']> {
    trace.begin?.('thumbnails');
    const isDecodable = type !== null && DECODABLE_TYPES.has(type);
    const image = { mediaId, type: type ?? '', size: null };
    const made = isDecodable ? await this.options.making.makeFiles(image, async () => body, work) : UNDECODED;
    tellThumbnails(trace, type, made);
    return made.image;
  }

  /**
   * Takes back files without a row. When storage or database went away nobody knows what is there; the garbage
   * collection finds the rest.
   */
  async #discard(mediaId: string, error: unknown): Promise<void> {
    if (error instanceof S3Failure || isStoreUnavailable(error)) return;
    const { storage } = this.options;
    await Promise.allSettled([
      storage.remove(filePath(mediaId)),
      storage.removeAll(thumbnailFolder(mediaId)),
    ]);
  }

  #failure(error: unknown): ApiError {
    if (error instanceof ApiError) return error;
    const failure = storageError(error);
    const { reason, detail, message } = failure;
    this.options.logger.error({ err: error, reason }, detail ?? message);
    return failure;
  }
}

function rowOf(
  { sniffedType, sizeBytes, sha256 }: InspectedMedia,
  size: PixelSize | null,
  { userId, contentType, uploadName, urlCache }: MediaDetails,
): Omit<NewMedia, 'mediaId' | 'createdTs'> {
  return {
    userId,
    contentType: withoutNul(contentType),
    sniffedType,
    uploadName: uploadName === null ? null : withoutNul(uploadName),
    urlCache,
    sizeBytes,
    sha256,
    width: size?.width ?? null,
    height: size?.height ?? null,
  };
}

/** PostgreSQL keeps no text with this character. */
function withoutNul(text: string): string {
  return text.replaceAll('\0', '');
}

function tellThumbnails(trace: Trace, type: string | null, { image, decodeMs }: MadeThumbnails): void {
  const step = { name: 'thumbnails', ms: Math.round(decodeMs) };
  if (image !== null) {
    const { width, height, thumbnails } = image;
    const sentence = `${counted(thumbnails.length, 'thumbnail')} of ${width} × ${height} pixels`;
    trace.step({ ...step, status: 'ok', sentence, detail: { width, height, thumbnails: thumbnails.length } });
    return;
  }
  const what = type === null ? 'No known image by its bytes' : `An image of type ${type}`;
  const isDecodable = type !== null && DECODABLE_TYPES.has(type);
  const why = isDecodable ? 'cannot be decoded or is too large' : 'is not decoded';
  const detail = { reason: 'picture_undecoded' };
  trace.step({ ...step, status: 'warning', sentence: `${what}: it ${why}`, detail });
}
