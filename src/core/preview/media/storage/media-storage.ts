import type { Readable } from 'node:stream';

import { errorCode, ApiError, storeFull } from '../../../base/errors/api-error.js';
import { isStoreFull } from '../../../store/store-errors.js';
import type { InspectedMedia, RenderedImage, RenderJob } from '../image/thumbnailer.js';

export interface StoredFile {
  sizeBytes: number;
  modifiedTs: number;
}

/** The bytes may have moved: `body` is where they are. */
export type StoredBytes = InspectedMedia & { body: Buffer };

export interface ByteRange {
  first: number;
  last: number;
}

/** A file that is being read. Its reader reads it to its end or destroys it. */
export interface OpenFile {
  body: Readable;
  sizeBytes: number;
}

export interface ListOptions {
  /** What names may be at each level below the folder; files stand at the last one. */
  levels: readonly ((name: string) => boolean)[];
  /** Called with the path of what is not ours: of another name, or a folder instead of a file and the reverse. */
  onUnmanaged?: ((path: string) => void) | undefined;
}

/**
 * Where files of media lie, by paths of `media-paths.ts`. Errors are those of the file system, 500 `disk_full`, or 503
 * `media_store_away` or `media_store_refused`: then nothing is known of what is there.
 */
export interface MediaStorage {
  /** Stores a download, whole and durable, and says what it is. After a rejection it may still come to be. */
  store(mediaId: string, bytes: Buffer, maxPixels: number | null): Promise<StoredBytes>;
  /** Makes thumbnails of a stored image and stores them; `null`: it is not there. */
  makeThumbnails(mediaId: string, job: RenderJob): Promise<RenderedImage | null>;
  get(path: string, range?: ByteRange): Promise<OpenFile | null>;
  /** `null`: there is none, or something else in its place. */
  find(path: string): Promise<StoredFile | null>;
  /** Resolves to whether there was one, which object storage does not tell. */
  remove(path: string): Promise<boolean>;
  removeAll(folder: string): Promise<void>;
  /** Removes a folder when it is there and empty. Object storage has none. */
  removeIfEmpty(folder: string): Promise<void>;
  /** Paths of files below a folder in bounded batches: folders in order of their names. */
  list(folder: string, options: ListOptions): AsyncGenerator<string[]>;
  /** Whether there is such a folder; in object storage whether anything is in it. */
  hasFolder(folder: string): Promise<boolean>;
}

const FULL_CODES: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);

/**
 * 500 for media that cannot be written. `reason` is `disk_full` or `media_not_written`; the cause keeps the
 * path, which no client sees. Errors that already are ApiErrors stay as they are.
 */
export function storageError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (isStoreFull(error)) return storeFull(error);
  const code = errorCode(error);
  return new ApiError(500, 'The media could not be stored', {
    cause: error,
    reason: FULL_CODES.has(code) ? 'disk_full' : 'media_not_written',
    detail: FULL_CODES.has(code)
      ? 'The file system of media_store_path is full'
      : `Writing below media_store_path failed${code === '' ? '' : ` with ${code}`}`,
  });
}
