import { HOUR_MS } from '../../base/clock.js';
import { ApiError, notFound } from '../../base/errors/api-error.js';
import {
  demandSize,
  pickThumbnail,
  thumbnailPixels,
  type PixelSize,
  type ThumbnailSize,
  filePath,
  parseMediaId,
  thumbnailPath,
} from './media-paths.js';
import type { MediaParts, MediaRow, ThumbnailRow } from './media-store.js';
import type { ByteRange, OpenFile } from './storage/media-storage.js';
import type { ThumbnailMaking } from './thumbnail-making.js';

interface MediaReaderOptions extends MediaParts {
  making: ThumbnailMaking;
  /** Setting thumbnail_sizes; made when an image has no thumbnail. */
  sizes: readonly ThumbnailSize[];
  dynamic: boolean;
}

export interface ReadableFile {
  /** Whether it is there, for requests that do not open it. */
  exists: () => Promise<boolean>;
  open: (range?: ByteRange) => Promise<OpenFile | null>;
  /** Quoted; the same for the same bytes. */
  etag: string;
  sizeBytes: number;
  createdTs: number;
}

export interface ReadableThumbnail extends ReadableFile {
  contentType: string;
}

/** Reads from the database when the client's request is next in a queue. */
export type QueuedRead = <T>(find: () => Promise<T>) => Promise<T>;

const AT_ONCE: QueuedRead = (find) => find();

interface ThumbnailRequest {
  media: MediaRow;
  imageSize: PixelSize;
  wanted: ThumbnailSize;
}

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
    return { media, file: this.#readable(filePath(mediaId), { sizeBytes, createdTs, etag }) };
  }

  /**
   * The thumbnail to answer with: the smallest that is large enough, of the asked method if possible. With
   * thumbnails on demand one of the asked size, rounded up to a small set, unless one that is there serves as well.
   * What is lost is made again. 404 when the media is not an image that can be decoded.
   */
  async findThumbnail(mediaId: string, wanted: ThumbnailSize, read = AT_ONCE): Promise<ReadableThumbnail> {
    const { media } = await this.find(mediaId, read);
    const { width, height } = media;
    if (width === null || height === null) throw noThumbnail();
    const { rows, making } = this.options;
    const request = { media, imageSize: { width, height }, wanted };
    const list = () => rows.listThumbnails(mediaId);
    const choice = this.#choose(await read(list), request);
    const ready = 'stored' in choice ? await this.#ready(media, choice.stored) : null;
    if (ready !== null) return ready;
    await making.inOrder(mediaId, () => this.#makeMissing(request));
    // What was made may differ by a pixel from what was chosen.
    const made = pickThumbnail(await list(), request.imageSize, wanted);
    const found = made && (await this.#ready(media, made));
    if (found === null) throw noThumbnail();
    return found;
  }

  /** Notes that a media was loaded, at most once an hour for each. Failures are logged. */
  async noteAccess(media: MediaRow): Promise<void> {
    const nowTs = this.options.clock.now();
    if (media.lastAccessTs !== null && nowTs - media.lastAccessTs < HOUR_MS) return;
    const { mediaId } = media;
    await this.options.rows.noteAccess(mediaId, nowTs).catch((error: unknown) => {
      this.options.logger.warn({ err: error, media_id: mediaId }, 'the time of an access was not stored');
    });
  }

  /** `null`: the file is lost. Thumbnails are not flushed: a power failure may have left less than was written. */
  async #ready(media: MediaRow, thumbnail: ThumbnailRow): Promise<ReadableThumbnail | null> {
    const { width, height, method, contentType, sizeBytes } = thumbnail;
    const etag = `"${media.sha256.slice(0, 32)}-${width}-${height}-${method}"`;
    const { createdTs } = media;
    const file = this.#readable(thumbnailPath(media.mediaId, thumbnail), { sizeBytes, createdTs, etag });
    return (await file.exists()) ? { contentType, ...file } : null;
  }

  /** Looks again first: a request before may have made it, or found that it cannot be made. */
  async #makeMissing(request: ThumbnailRequest): Promise<void> {
    const { rows, making } = this.options;
    const { media } = request;
    if ((await rows.find(media.mediaId))?.width === null) return;
    const stored = await rows.listThumbnails(media.mediaId);
    if (stored.length === 0) return making.makeAll(media);
    const choice = this.#choose(stored, request);
    if ('stored' in choice) {
      if ((await this.#ready(media, choice.stored)) !== null) return;
      await rows.deleteThumbnail(media.mediaId, choice.stored);
    }
    await making.make(media, { sizes: ['stored' in choice ? choice.stored : choice.missing] });
  }

  /** A file of another size than its row states is none. */
  #readable(path: string, about: Omit<ReadableFile, 'exists' | 'open'>): ReadableFile {
    const { storage } = this.options;
    const { sizeBytes } = about;
    return {
      ...about,
      exists: async () => (await storage.find(path))?.sizeBytes === sizeBytes,
      open: async (range) => {
        const opened = await storage.get(path, range);
        if (opened === null || opened.sizeBytes === sizeBytes) return opened;
        opened.body.destroy();
        return null;
      },
    };
  }

  /** Of those that are stored, those that every image has, and the one that may be made on demand. */
  #choose(
    rows: readonly ThumbnailRow[],
    { imageSize, wanted }: ThumbnailRequest,
  ): { stored: ThumbnailRow } | { missing: ThumbnailSize } {
    const { sizes, dynamic } = this.options;
    const isOnDemand = dynamic && rows.length < MAX_THUMBNAILS;
    // Compared by the pixels that a box makes, since a thumbnail may be smaller than its box.
    const makeable = [...sizes, ...(isOnDemand ? [demandSize(wanted)] : [])]
      .map((box) => ({ ...thumbnailPixels(imageSize, box), method: box.method, box }))
      .filter((size) => !has(rows, size));
    const all: (ThumbnailRow | (typeof makeable)[number])[] = [...rows, ...makeable];
    const pick = pickThumbnail(all, imageSize, wanted);
    if (pick !== null && 'sizeBytes' in pick) return { stored: pick };
    return { missing: pick?.box ?? wanted };
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
