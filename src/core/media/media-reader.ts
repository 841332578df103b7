import { stat } from 'node:fs/promises';

import type { Clock } from '../clock.js';
import { HOUR_MS } from '../clock.js';
import { ApiError } from '../errors.js';
import type { Logger } from '../logger.js';
import { DECODABLE_TYPES } from './picture/image-type.js';
import { demandSize, pickThumbnail, thumbnailPixels } from './picture/thumbnail-sizes.js';
import type { PixelSize, ThumbnailSize } from './picture/thumbnail-sizes.js';
import type { MediaFiles } from './media-files.js';
import type { MediaRow, MediaRowStore, ThumbnailRow } from './media-row-store.js';
import { parseMediaId } from './media-id.js';
import { thumbnailRow } from './media-store.js';
import { fileErrorCode, storageError } from './storage-error.js';
import type { MediaWork } from './keeping/media-work.js';

/** What the reader is built from. */
export interface MediaReaderOptions {
  files: MediaFiles;
  rows: MediaRowStore;
  work: MediaWork;
  clock: Clock;
  logger: Logger;
  /** Setting thumbnail_sizes; made again when all thumbnails of a picture are lost. */
  sizes: readonly ThumbnailSize[];
  /** Setting dynamic_thumbnails. */
  dynamic: boolean;
}

/** A file to send. */
export interface ReadableFile {
  /** Absolute. */
  path: string;
  /** Quoted; the same for the same bytes. */
  etag: string;
  createdTs: number;
}

/** A thumbnail to send. */
export interface ReadableThumbnail extends ReadableFile {
  contentType: string;
}

/** Thumbnails on demand beyond this are answered from those that are there. */
const MAX_THUMBNAILS = 16;

/** Finds the files that answer requests for media; makes thumbnails that are missing. */
export class MediaReader {
  /** Thumbnails being made, by media id: simultaneous askers wait for one making. */
  readonly #making = new Map<string, Promise<void>>();

  constructor(private readonly options: MediaReaderOptions) {}

  /** The media of an id with its file. 404 `M_NOT_FOUND` for every text without a media whose file is there. */
  async find(mediaId: string): Promise<{ media: MediaRow; file: ReadableFile }> {
    if (parseMediaId(mediaId) === null) throw notFound();
    const media = await this.options.rows.find(mediaId);
    if (media === null || media.fileRemovedTs !== null || media.missingSinceTs !== null) throw notFound();
    const path = this.options.files.filePath(mediaId);
    return { media, file: { path, etag: `"${media.sha256.slice(0, 32)}"`, createdTs: media.createdTs } };
  }

  /**
   * The thumbnail to answer with: the smallest that is large enough, of the asked method if possible. With
   * thumbnails on demand one of the asked size, rounded up to a small set. 404 when the media is no picture
   * that can be decoded.
   */
  async findThumbnail(mediaId: string, wanted: ThumbnailSize): Promise<ReadableThumbnail> {
    const { media } = await this.find(mediaId);
    const { width, height } = media;
    if (width === null || height === null) throw noThumbnail();
    const picture = { width, height };
    for (const lastTry of [false, true]) {
      const thumbnail = await this.#pick(media, picture, wanted);
      const path = this.options.files.thumbnailPath(mediaId, thumbnail);
      if (lastTry || (await isWhole(path, thumbnail.sizeBytes))) return readable(media, thumbnail, path);
      await this.options.rows.deleteThumbnail(mediaId, thumbnail);
    }
    throw noThumbnail();
  }

  /** Notes that a media was loaded, at most once an hour for each. Failures are logged. */
  async noteAccess(media: MediaRow): Promise<void> {
    const nowTs = this.options.clock.now();
    if (media.lastAccessTs !== null && nowTs - media.lastAccessTs < HOUR_MS) return;
    try {
      await this.options.rows.noteAccess(media.mediaId, nowTs);
    } catch (error) {
      this.options.logger.warn(
        { err: error, media_id: media.mediaId },
        'the time of an access was not stored',
      );
    }
  }

  async #pick(media: MediaRow, picture: PixelSize, wanted: ThumbnailSize): Promise<ThumbnailRow> {
    const { rows, sizes, dynamic } = this.options;
    let thumbnails = await rows.listThumbnails(media.mediaId);
    const missing = dynamic ? demandSize(wanted) : null;
    if (thumbnails.length === 0) await this.#makeOnce(media, sizes);
    else if (missing !== null && thumbnails.length < MAX_THUMBNAILS && !has(thumbnails, picture, missing)) {
      await this.#makeOnce(media, [missing]);
    }
    if (thumbnails.length === 0 || missing !== null) thumbnails = await rows.listThumbnails(media.mediaId);
    const thumbnail = pickThumbnail(thumbnails, picture, missing ?? wanted);
    if (thumbnail === null) throw noThumbnail();
    return thumbnail;
  }

  async #makeOnce(media: MediaRow, sizes: readonly ThumbnailSize[]): Promise<void> {
    const running = this.#making.get(media.mediaId);
    if (running !== undefined) return running;
    const making = this.#make(media, sizes).finally(() => this.#making.delete(media.mediaId));
    this.#making.set(media.mediaId, making);
    return making;
  }

  async #make(media: MediaRow, sizes: readonly ThumbnailSize[]): Promise<void> {
    const { files, rows, work, logger } = this.options;
    const { mediaId, sniffedType } = media;
    if (sniffedType === null || !DECODABLE_TYPES.has(sniffedType)) return;
    const { places, end } = files.begin(mediaId);
    try {
      const thumbnails = await work.makeThumbnails(places, sniffedType, sizes);
      if (thumbnails.length > 0) await rows.saveThumbnails(mediaId, thumbnails.map(thumbnailRow));
    } catch (error) {
      const failure = storageError(error);
      logger.error({ err: error, media_id: mediaId, reason: failure.reason }, 'a thumbnail was not stored');
      throw failure;
    } finally {
      end();
    }
  }
}

const notFound = (): ApiError => new ApiError(404, 'M_NOT_FOUND', 'Not found');

const noThumbnail = (): ApiError =>
  new ApiError(404, 'M_NOT_FOUND', 'There is no thumbnail of this media', { reason: 'no_thumbnail' });

function has(thumbnails: readonly ThumbnailRow[], picture: PixelSize, size: ThumbnailSize): boolean {
  const { width, height } = thumbnailPixels(picture, size);
  return thumbnails.some(
    (thumbnail) =>
      thumbnail.method === size.method && thumbnail.width === width && thumbnail.height === height,
  );
}

function readable(media: MediaRow, thumbnail: ThumbnailRow, path: string): ReadableThumbnail {
  const { width, height, method, contentType } = thumbnail;
  const etag = `"${media.sha256.slice(0, 32)}-${width}-${height}-${method}"`;
  return { path, etag, contentType, createdTs: media.createdTs };
}

/** Thumbnails are not flushed: a power failure may have left less than was written. */
async function isWhole(path: string, sizeBytes: number): Promise<boolean> {
  try {
    const found = await stat(path);
    return found.isFile() && found.size === sizeBytes;
  } catch (error) {
    if (fileErrorCode(error) === 'ENOENT') return false;
    throw error;
  }
}
