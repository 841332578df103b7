import type { Asker } from '../../base/places/asker.js';
import type { Clock } from '../../base/clock.js';
import { counted } from '../../base/text/counted.js';
import { ApiError } from '../../base/errors/api-error.js';
import { isStoreFull, isStoreUnavailable } from '../../store/store-errors.js';
import type { Logger } from '../../base/logger.js';
import { DECODABLE_TYPES } from './image/image-type.js';
import type { MediaFiles } from './media-files.js';
import { newMediaId } from './media-id.js';
import type { MediaRow, MediaRowStore, ThumbnailRow } from './media-row-store.js';
import { SILENT_TRACE } from '../../base/trace.js';
import type { Trace, TraceStep } from '../../base/trace.js';
import { storageError } from './storage-error.js';
import type { KeptMedia, KeptThumbnail, MediaPaths } from './storage/media-jobs.js';
import type { MediaWork } from './storage/media-work.js';

/** What the store is built from. */
export interface MediaStoreOptions {
  files: MediaFiles;
  rows: MediaRowStore;
  work: MediaWork;
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

/** How a download is stored. */
export interface SaveOptions {
  /** Whether images are decoded: thumbnails, width and height. */
  thumbnails: boolean;
  /** Whether the bytes may be moved away: nobody needs them meanwhile, or ever again without `onBack`. */
  mayTake?: boolean;
  /** Told where the bytes are when they were moved away and came back; not called when they stayed. */
  onBack?: (bytes: Buffer) => void;
  /** Whose turn it is at the decoder. */
  asker?: Asker;
  /** Gives up waiting for the decoder. */
  signal?: AbortSignal;
  /** Told how thumbnails came about. */
  trace?: Trace;
}

/** A stored media as its maker learns of it. */
export interface SavedMedia extends MediaRow {
  /** Only for decoded images, and only when the setting asks for it. */
  blurhash: string | null;
}

/** Stores media: the file first, then its thumbnails, then the row, so that no row ever lacks its file. */
export class MediaStore {
  constructor(private readonly options: MediaStoreOptions) {}

  /**
   * Stores a download: sniffs it, makes thumbnails of images, files first, then one row. Nothing is left when it
   * rejects: 500 `disk_full` (of the media or the database) or `media_not_written`, 503 `overloaded`, or the error
   * of the database.
   */
  async save(bytes: Buffer, details: MediaDetails, options: SaveOptions): Promise<SavedMedia> {
    const { files, clock, rows } = this.options;
    const createdTs = clock.now();
    const mediaId = newMediaId(createdTs);
    const { paths, end } = files.begin(mediaId);
    try {
      const kept = await this.#keep(bytes, paths, options);
      const media = { mediaId, createdTs, ...rowOf(kept, details) };
      try {
        await rows.insert(media, (kept.image?.thumbnails ?? []).map(thumbnailRow));
      } catch (error) {
        // When the store went away nobody knows whether the row is in; the garbage collection will.
        if (!isStoreUnavailable(error)) await this.#remove(mediaId);
        throw isStoreFull(error) ? this.#failed(error) : error;
      }
      return { blurhash: kept.image?.blurhash ?? null, ...media };
    } finally {
      end();
    }
  }

  async #keep(bytes: Buffer, paths: MediaPaths, options: SaveOptions): Promise<KeptMedia> {
    const { trace = SILENT_TRACE, ...keepOptions } = options;
    try {
      const kept = await this.options.work.keep(bytes, { paths, ...keepOptions });
      if (keepOptions.thumbnails) trace.step(thumbnailStep(kept));
      return kept;
    } catch (error) {
      // A thread that died has left what it had written by then.
      await this.options.files.discard(paths);
      if (error instanceof ApiError || error === options.signal?.reason) throw error;
      throw this.#failed(error);
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

  #failed(error: unknown): Error {
    const failure = storageError(error);
    this.options.logger.error({ err: error, reason: failure.reason }, failure.detail ?? failure.message);
    return failure;
  }
}

/** The row of a thumbnail that has just been made. */
export function thumbnailRow(thumbnail: KeptThumbnail): ThumbnailRow {
  return { animated: false, ...thumbnail };
}

function rowOf(kept: KeptMedia, details: MediaDetails): Omit<MediaRow, 'mediaId' | 'createdTs'> {
  const { sizeBytes, sha256, sniffedType, image } = kept;
  const { userId, contentType, uploadName, urlCache } = details;
  return {
    userId,
    contentType: withoutNul(contentType),
    sniffedType,
    uploadName: uploadName === null ? null : withoutNul(uploadName),
    urlCache,
    sizeBytes,
    sha256,
    width: image?.width ?? null,
    height: image?.height ?? null,
    lastAccessTs: null,
    fileRemovedTs: null,
    missingSinceTs: null,
  };
}

/** PostgreSQL keeps no text with this character. */
function withoutNul(text: string): string {
  return text.replaceAll('\0', '');
}

function thumbnailStep({ image, sniffedType: type, decodeMs }: KeptMedia): TraceStep {
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
