import { HOUR_MS, type Clock } from '../../base/clock.js';
import { ApiError, notFound } from '../../base/errors/api-error.js';
import type { Logger } from '../../base/logger.js';
import {
  demandSize,
  pickThumbnail,
  thumbnailPixels,
  type PixelSize,
  type ThumbnailSize,
} from './image/thumbnail-sizes.js';
import type { MediaFiles } from './media-files.js';
import type { MediaRow, MediaRowStore, ThumbnailRow } from './media-row-store.js';
import { parseMediaId } from './media-id.js';
import type { ByteRange, OpenFile } from './storage/media-storage.js';
import type { ThumbnailMaking } from './thumbnail-making.js';

/** What the reader is built from. */
export interface MediaReaderOptions {
  files: MediaFiles;
  rows: MediaRowStore;
  making: ThumbnailMaking;
  clock: Clock;
  logger: Logger;
  /** Setting thumbnail_sizes; made when an image has no thumbnail. */
  sizes: readonly ThumbnailSize[];
  /** Setting dynamic_thumbnails. */
  dynamic: boolean;
}

/** A file to send. */
export interface ReadableFile {
  /** Whether it is there, which only those ask who do not open it. */
  exists: () => Promise<boolean>;
  /** `null`: it is gone. */
  open: (range?: ByteRange) => Promise<OpenFile | null>;
  /** Quoted; the same for the same bytes. */
  etag: string;
  sizeBytes: number;
  createdTs: number;
}

/** A thumbnail to send. */
export interface ReadableThumbnail extends ReadableFile {
  contentType: string;
}

/** Has the store asked when the turn of whoever wants it has come. */
export type ReadInTurn = <T>(find: () => Promise<T>) => Promise<T>;

const AT_ONCE: ReadInTurn = (find) => find();

interface ThumbnailRequest {
  media: MediaRow;
  read: ReadInTurn;
  imageSize: PixelSize;
  wanted: ThumbnailSize;
  /** Whether one may be made for it when others would do. */
  demand: boolean;
  /** Whether one that every image should have may be made for it, when others would do. */
  mends: boolean;
}

type ThumbnailChoice = { stored: ThumbnailRow } | { missing: readonly ThumbnailSize[] };

/** Thumbnails on demand beyond this are answered from those that are there. */
const MAX_THUMBNAILS = 16;

/** Finds the files that answer requests for media; makes thumbnails that are missing. */
export class MediaReader {
  constructor(private readonly options: MediaReaderOptions) {}

  /** The media of an id with its file. 404 `M_NOT_FOUND` for every text without a media whose file is there. */
  async find(mediaId: string, read = AT_ONCE): Promise<{ media: MediaRow; file: ReadableFile }> {
    if (parseMediaId(mediaId) === null) throw notFound();
    const media = await read(() => this.options.rows.find(mediaId));
    if (media === null || media.fileRemovedTs !== null || media.missingSinceTs !== null) throw notFound();
    const { sha256, sizeBytes, createdTs } = media;
    const etag = `"${sha256.slice(0, 32)}"`;
    const file = this.#readable(this.options.files.filePath(mediaId), sizeBytes);
    return { media, file: { etag, createdTs, ...file } };
  }

  /**
   * The thumbnail to answer with: the smallest that is large enough, of the asked method if possible. With
   * thumbnails on demand one of the asked size, rounded up to a small set, unless one that is there serves as well.
   * What is lost is made again. 404 when the media is no image that can be decoded.
   */
  async findThumbnail(mediaId: string, wanted: ThumbnailSize, read = AT_ONCE): Promise<ReadableThumbnail> {
    const { media } = await this.find(mediaId, read);
    const { width, height } = media;
    if (width === null || height === null) throw noThumbnail();
    const { dynamic } = this.options;
    const request = { media, read, imageSize: { width, height }, wanted };
    // What is made again may differ by a pixel from what was lost, and then stand in another row.
    const tries = [
      { demand: dynamic, mends: true },
      { demand: false, mends: true },
      { demand: false, mends: false },
    ];
    for (const attempt of tries) {
      const ready = await this.#findReady({ ...request, ...attempt });
      if (ready !== null) return ready;
      await this.options.making.inTurn(mediaId, () => this.#makeMissing({ ...request, ...attempt }));
    }
    const ready = await this.#findReady({ ...request, demand: false, mends: false });
    if (ready === null) throw noThumbnail();
    return ready;
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

  /** `null` when what should be sent has to be made first. */
  async #findReady(request: ThumbnailRequest): Promise<ReadableThumbnail | null> {
    const { media, read } = request;
    const { files, rows } = this.options;
    const choice = this.#choose(await read(() => rows.listThumbnails(media.mediaId)), request);
    if (!('stored' in choice)) return null;
    const { width, height, method, contentType, sizeBytes } = choice.stored;
    const file = this.#readable(files.thumbnailPath(media.mediaId, choice.stored), sizeBytes);
    // Thumbnails are not flushed: a power failure may have left less than was written.
    if (!(await file.exists())) return null;
    const etag = `"${media.sha256.slice(0, 32)}-${width}-${height}-${method}"`;
    return { etag, contentType, createdTs: media.createdTs, ...file };
  }

  /** Asks again first: whoever had the turn before may have made it, or found that it cannot be. */
  async #makeMissing(request: ThumbnailRequest): Promise<void> {
    if ((await this.#findReady(request)) !== null) return;
    const { rows, making } = this.options;
    const { mediaId } = request.media;
    if ((await rows.find(mediaId))?.width === null) return;
    const stored = await rows.listThumbnails(mediaId);
    if (stored.length === 0) {
      await making.makeAsked(request.media);
      return;
    }
    const choice = this.#choose(stored, request);
    if ('stored' in choice) await rows.deleteThumbnail(mediaId, choice.stored);
    await making.make(request.media, 'stored' in choice ? [choice.stored] : choice.missing);
  }

  /** A file of another size than its row states is none. */
  #readable(path: string, sizeBytes: number): Pick<ReadableFile, 'exists' | 'open' | 'sizeBytes'> {
    const { files } = this.options;
    return {
      sizeBytes,
      exists: async () => (await files.find(path))?.sizeBytes === sizeBytes,
      open: async (range) => {
        const opened = await files.get(path, range);
        if (opened === null || opened.sizeBytes === sizeBytes) return opened;
        opened.body.destroy();
        return null;
      },
    };
  }

  #choose(
    rows: readonly ThumbnailRow[],
    { imageSize, wanted, demand, mends }: ThumbnailRequest,
  ): ThumbnailChoice {
    const { sizes } = this.options;
    if (rows.length === 0) return { missing: sizes };
    const box = demand && rows.length < MAX_THUMBNAILS ? demandSize(wanted) : null;
    // Those whose rows are lost, too. Compared by the box asked for, since a thumbnail may be smaller than its box.
    const boxes = [...(mends ? sizes : []), ...(box === null ? [] : [box])];
    const makeable = boxes
      .map((size) => ({ ...thumbnailPixels(imageSize, size), method: size.method, box: size }))
      .filter((size) => !has(rows, size));
    const pick = pickThumbnail<ThumbnailSize>([...rows, ...makeable], imageSize, wanted);
    const stored = rows.find((row) => row === pick);
    if (stored !== undefined) return { stored };
    return { missing: makeable.filter((size) => size === pick).map((size) => size.box) };
  }
}

const noThumbnail = (): ApiError =>
  new ApiError(404, 'There is no thumbnail of this media', {
    errcode: 'M_NOT_FOUND',
    reason: 'no_thumbnail',
  });

function has(rows: readonly ThumbnailRow[], { width, height, method }: ThumbnailSize): boolean {
  return rows.some((row) => row.width === width && row.height === height && row.method === method);
}
