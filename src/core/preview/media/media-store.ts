import type { Client } from '../../base/client.js';
import type { Clock } from '../../base/clock.js';
import { counted } from '../../base/text/counted.js';
import { ApiError } from '../../base/errors/api-error.js';
import { S3Failure } from '../../net/object-storage/s3-failure.js';
import { isStoreFull, isStoreUnavailable } from '../../store/store-errors.js';
import type { Logger } from '../../base/logger.js';
import { DECODABLE_TYPES } from './image/image-type.js';
import type { PixelSize } from './image/thumbnail-sizes.js';
import type { MediaFiles } from './media-files.js';
import { newMediaId } from './media-id.js';
import type { MediaRow, MediaRowStore } from './media-row-store.js';
import { SILENT_TRACE, type Trace, type TraceStep } from '../../base/trace.js';
import { storageError } from './storage-error.js';
import type {
  DecodedImage,
  KeptImage,
  KeptMedia,
  KeptThumbnail,
  MadeThumbnails,
  MediaPaths,
} from './storage/media-jobs.js';
import type { FreeSpace } from './storage/free-space.js';
import type { KeepOptions, MediaWork } from './storage/media-work.js';
import { thumbnailRow, type ThumbnailMaking } from './thumbnail-making.js';

/** What the store is built from. */
export interface MediaStoreOptions {
  files: MediaFiles;
  rows: MediaRowStore;
  work: MediaWork;
  making: ThumbnailMaking;
  /** Absent: media lies where space is somebody else's care. */
  space?: Pick<FreeSpace, 'take' | 'state'> | undefined;
  clock: Clock;
  logger: Logger;
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

/** What is stored: its body is looked at once, so that it can go as soon as the file is there. */
export interface MediaSource {
  readonly body: Buffer;
}

/** How a download is stored. */
export interface SaveOptions {
  /** Whether images are decoded: thumbnails, width and height. */
  thumbnails: boolean;
  /**
   * From when on thumbnails may follow: once the image is decoded, or once its head has told its size, where that says
   * enough. Absent: they are made before.
   */
  mayFollow?: 'decoded' | 'head';
  /** Whether the bytes may be moved away: nobody needs them meanwhile, or ever again without `onBack`. */
  mayTake?: boolean;
  /** Told where the bytes are when they were moved away and came back; not called when they stayed. */
  onBack?: (bytes: Buffer) => void;
  /** Told once the file is there, so that nobody but the caller needs the bytes. */
  onKept?: () => void;
  /** Whose turn it is to have it kept and decoded. */
  client?: Client;
  /** Gives up waiting for one's turn. */
  signal?: AbortSignal;
  /** Told how thumbnails came about. */
  trace?: Trace;
}

/** A stored media as its maker learns of it. */
export interface SavedMedia extends MediaRow {
  /** Only for decoded images, and only when the setting asks for it. */
  blurhash: string | null;
}

/** A download whose file is there. */
interface Kept {
  kept: KeptMedia;
  /** `null`: not decoded. */
  image: DecodedImage | null;
  thumbnails: readonly KeptThumbnail[];
  /** Its thumbnails, when they follow and are under way; `null`: none are. */
  made: Promise<MadeThumbnails> | null;
}

/** Stores media: the file first, then the row, so that no row ever lacks its file. */
export class MediaStore {
  constructor(private readonly options: MediaStoreOptions) {}

  /**
   * Stores a download: its file first, then its row. What is known of an image by then tells whether it can be shown;
   * its thumbnails may follow. Nothing is left when it rejects: 500 `disk_full` (of the media or the database) or
   * `media_not_written`, 503 `overloaded`, or the error of the database.
   */
  async save(source: MediaSource, details: MediaDetails, options: SaveOptions): Promise<SavedMedia> {
    const { files, clock, making } = this.options;
    const createdTs = clock.now();
    const mediaId = newMediaId(createdTs);
    const { paths, end } = files.begin(mediaId);
    let leave = end;
    try {
      const { kept, image, thumbnails, made } = await this.#keep(source, paths, options);
      const media = { mediaId, createdTs, ...rowOf(kept, image ?? kept.size, details) };
      await this.#insert(media, thumbnails, made);
      if (made !== null) {
        leave = () => {};
        making.follow(media, options.client, { made, end });
      } else if (kept.size !== null) {
        end();
        making.follow(media, options.client);
      }
      return { blurhash: image?.blurhash ?? null, ...media };
    } finally {
      leave();
    }
  }

  async #keep(source: MediaSource, paths: MediaPaths, options: SaveOptions): Promise<Kept> {
    const { files } = this.options;
    const { thumbnails, mayFollow, trace = SILENT_TRACE, onKept } = options;
    try {
      // A watched trial reports how thumbnails are made, and waits for them.
      const follows = trace === SILENT_TRACE ? mayFollow : undefined;
      const looksAtHead = thumbnails && follows === 'head';
      const kept = await this.#keepFile(source.body, { ...options, paths, looksAtHead });
      onKept?.();
      if (!thumbnails || kept.size !== null) return { kept, image: null, thumbnails: [], made: null };
      if (follows !== undefined)
        return { kept, thumbnails: [], ...(await this.#begin(kept, paths, options)) };
      const image = await this.#decode(kept, paths, options);
      return { kept, image, thumbnails: image?.thumbnails ?? [], made: null };
    } catch (error) {
      // A thread that died has left what it had written by then; a store that is away is left to the garbage collection.
      if (!(error instanceof S3Failure)) await files.discard(paths);
      if (error instanceof ApiError || error === options.signal?.reason) throw error;
      throw await this.#failed(error);
    }
  }

  async #keepFile(bytes: Buffer, options: KeepOptions): Promise<KeptMedia> {
    const { work, space } = this.options;
    const release = await space?.take(bytes.length);
    try {
      return await work.keep(bytes, options);
    } finally {
      release?.();
    }
  }

  async #begin(
    { sniffedType: type }: KeptMedia,
    paths: MediaPaths,
    { client, signal }: SaveOptions,
  ): Promise<Pick<Kept, 'image' | 'made'>> {
    if (type === null || !DECODABLE_TYPES.has(type)) return { image: null, made: null };
    const begun = await this.options.work.beginThumbnails({ paths, type, size: null }, { client, signal });
    return begun.image === null ? { image: null, made: null } : begun;
  }

  async #decode(
    { sniffedType: type }: KeptMedia,
    paths: MediaPaths,
    { client, signal, trace = SILENT_TRACE }: SaveOptions,
  ): Promise<KeptImage | null> {
    trace.begin?.('thumbnails');
    const made =
      type === null || !DECODABLE_TYPES.has(type)
        ? { image: null, decodeMs: 0 }
        : await this.options.work.makeThumbnails({ paths, type, size: null }, undefined, { client, signal });
    trace.step(thumbnailStep(type, made));
    return made.image;
  }

  async #insert(media: MediaRow, thumbnails: readonly KeptThumbnail[], made: Kept['made']): Promise<void> {
    try {
      await this.options.rows.insert(media, thumbnails.map(thumbnailRow));
    } catch (error) {
      // Nobody writes any more once the files are taken back.
      await made?.catch(() => {});
      // When the store went away nobody knows whether the row is in; the garbage collection will.
      if (!isStoreUnavailable(error)) await this.#remove(media.mediaId);
      throw isStoreFull(error) ? await this.#failed(error) : error;
    }
  }

  /** Takes back files whose row could not be written; what stays behind is for the garbage collection. */
  async #remove(mediaId: string): Promise<void> {
    const { files, logger } = this.options;
    try {
      await files.removeFile(mediaId);
      await files.removeThumbnails(mediaId);
    } catch (error) {
      logger.warn(
        { err: error, media_id: mediaId },
        'files of media that was not stored are left to the garbage collection',
      );
    }
  }

  async #failed(error: unknown): Promise<Error> {
    const { space, logger } = this.options;
    const failure = storageError(error);
    const { reason, detail, message } = failure;
    // Of media; of the database's disk the logger says all there is.
    const disk = detail === null ? undefined : await space?.state();
    logger.error({ err: error, reason, ...disk }, detail ?? message);
    return failure;
  }
}

function rowOf(
  { sizeBytes, sha256, sniffedType }: KeptMedia,
  size: PixelSize | null,
  details: MediaDetails,
): Omit<MediaRow, 'mediaId' | 'createdTs'> {
  const { userId, contentType, uploadName, urlCache } = details;
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
    lastAccessTs: null,
    fileRemovedTs: null,
    missingSinceTs: null,
  };
}

/** PostgreSQL keeps no text with this character. */
function withoutNul(text: string): string {
  return text.replaceAll('\0', '');
}

function thumbnailStep(
  type: string | null,
  { image, decodeMs }: Pick<MadeThumbnails, 'image' | 'decodeMs'>,
): TraceStep {
  const step = { name: 'thumbnails', ms: Math.round(decodeMs) };
  if (image !== null) {
    const { width, height, thumbnails } = image;
    const sentence = `${counted(thumbnails.length, 'thumbnail')} of ${width} × ${height} pixels`;
    return { status: 'ok', sentence, detail: { width, height, thumbnails: thumbnails.length }, ...step };
  }
  const what = type === null ? 'No known image by its bytes' : `An image of type ${type}`;
  const why =
    type !== null && DECODABLE_TYPES.has(type) ? 'cannot be decoded or is too large' : 'is not decoded';
  return {
    status: 'warning',
    sentence: `${what}: it ${why}`,
    detail: { reason: 'picture_undecoded' },
    ...step,
  };
}
