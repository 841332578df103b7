import type { Clock } from '../clock.js';
import { isStoreUnavailable } from '../db/store-errors.js';
import type { Logger } from '../logger.js';
import { DECODABLE_TYPES, sniffImageType } from './picture/image-type.js';
import type { MediaFiles } from './media-files.js';
import { newMediaId } from './media-id.js';
import type { MediaRow, MediaRowStore, ThumbnailRow } from './media-row-store.js';
import type { MediaWriter, WrittenFile } from './media-writer.js';
import { SILENT_TRACE } from '../trace.js';
import type { Trace, TraceStep } from '../trace.js';
import { storageError } from './storage-error.js';
import type { Picture, Thumbnailer } from './thumbnailer.js';

/** What the store is built from. */
export interface MediaStoreOptions {
  files: MediaFiles;
  rows: MediaRowStore;
  thumbnailer: Thumbnailer;
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
   * Begins a download. The caller writes and then calls `save`, or `abort` on the writer. Throws 500
   * `disk_full` or `media_not_written`.
   */
  async openWriter(): Promise<MediaWriter> {
    try {
      return await this.options.files.openWriter();
    } catch (error) {
      throw this.#failed(error);
    }
  }

  /** The error to throw when `write` on a writer has rejected; logged here. */
  writeFailed(error: unknown): Error {
    return this.#failed(error);
  }

  /**
   * Stores what has been written: sniffs it, makes thumbnails of images, files first, then one row. Nothing is
   * left when it rejects: 500 `disk_full` or `media_not_written`, 503 `overloaded`, or the error of the database.
   */
  async save(writer: MediaWriter, details: MediaDetails, options: SaveOptions): Promise<SavedMedia> {
    const { files, clock } = this.options;
    const createdTs = clock.now();
    const mediaId = newMediaId(createdTs);
    const unprotect = files.protect(mediaId);
    try {
      const file = await this.#storing(() => writer.finish());
      const sniffedType = sniffImageType(file.head);
      const picture = options.thumbnails ? await this.#picture(file, sniffedType, options) : null;
      const media = { ...rowOf(file, details), mediaId, createdTs, sniffedType, ...pixelsOf(picture) };
      await this.#place(media, writer, picture);
      writer.release();
      return { ...media, blurhash: picture?.blurhash ?? null };
    } catch (error) {
      await writer.abort();
      throw error;
    } finally {
      unprotect();
    }
  }

  /** Stores bytes that are at hand already, such as those of a data URL. */
  async saveBytes(bytes: Buffer, details: MediaDetails, options: SaveOptions): Promise<SavedMedia> {
    const writer = await this.openWriter();
    try {
      await writer.write(bytes);
    } catch (error) {
      await writer.abort();
      throw this.#failed(error);
    }
    return this.save(writer, details, options);
  }

  async #place(media: MediaRow, writer: MediaWriter, picture: Picture | null): Promise<void> {
    const { files, rows } = this.options;
    const { mediaId } = media;
    const thumbnails = picture?.thumbnails ?? [];
    try {
      await this.#storing(async () => {
        await files.place(writer.path, mediaId);
        await files.writeThumbnails(mediaId, thumbnails);
      });
      await rows.insert(media, thumbnails.map(thumbnailRow));
    } catch (error) {
      // When the store went away nobody knows whether the row is in; the sweep will.
      if (!isStoreUnavailable(error)) await this.#remove(mediaId);
      throw error;
    }
  }

  async #picture(
    file: WrittenFile,
    sniffedType: string | null,
    { signal, trace = SILENT_TRACE }: SaveOptions,
  ): Promise<Picture | null> {
    const startMs = performance.now();
    const isDecodable = sniffedType !== null && DECODABLE_TYPES.has(sniffedType);
    const wish = signal === undefined ? {} : { signal };
    const picture = isDecodable
      ? await this.options.thumbnailer.make({ ...file, type: sniffedType }, wish)
      : null;
    trace.step(thumbnailStep(picture, sniffedType, performance.now() - startMs));
    return picture;
  }

  /** Takes back files whose row could not be written; what stays behind is for the sweep. */
  async #remove(mediaId: string): Promise<void> {
    const { files, logger } = this.options;
    try {
      await files.removeFile(mediaId);
      await files.removeThumbnails(mediaId);
    } catch (error) {
      logger.warn(
        { err: error, media_id: mediaId },
        'files of media that was not stored are left to the sweep',
      );
    }
  }

  async #storing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#failed(error);
    }
  }

  #failed(error: unknown): Error {
    const failure = storageError(error);
    this.options.logger.error({ err: error, reason: failure.reason }, failure.detail ?? failure.message);
    return failure;
  }
}

/** The row of a thumbnail that has just been made. */
export function thumbnailRow(thumbnail: Picture['thumbnails'][number]): ThumbnailRow {
  const { width, height, method, contentType, bytes } = thumbnail;
  return { width, height, method, contentType, sizeBytes: bytes.length, animated: false };
}

type FileColumns = Omit<MediaRow, 'mediaId' | 'createdTs' | 'sniffedType' | 'width' | 'height'>;

function rowOf({ sizeBytes, sha256 }: WrittenFile, details: MediaDetails): FileColumns {
  const { userId, contentType, uploadName, urlCache } = details;
  const name = uploadName === null ? null : withoutNul(uploadName);
  return {
    userId,
    contentType: withoutNul(contentType),
    uploadName: name,
    urlCache,
    sizeBytes,
    sha256,
    lastAccessTs: null,
    fileRemovedTs: null,
    missingSinceTs: null,
  };
}

function pixelsOf(picture: Picture | null): { width: number | null; height: number | null } {
  return { width: picture?.width ?? null, height: picture?.height ?? null };
}

/** PostgreSQL keeps no text with this character. */
function withoutNul(text: string): string {
  return text.replaceAll('\0', '');
}

function thumbnailStep(picture: Picture | null, type: string | null, ms: number): TraceStep {
  const step = { name: 'thumbnails', ms: Math.round(ms) };
  if (picture !== null) {
    const { width, height, thumbnails } = picture;
    const sentence = `${thumbnails.length} thumbnails of ${width} × ${height} pixels`;
    return { ...step, status: 'ok', sentence, detail: { width, height, thumbnails: thumbnails.length } };
  }
  const what = type === null ? 'No known picture by its bytes' : `A picture of type ${type}`;
  const why =
    type !== null && DECODABLE_TYPES.has(type) ? 'cannot be decoded or is too large' : 'is not decoded';
  return {
    ...step,
    status: 'warning',
    sentence: `${what}: it ${why}`,
    detail: { reason: 'picture_undecoded' },
  };
}
