import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';

import {
  TEMPORARY_FOLDER,
  filePathParts,
  thumbnailFolder,
  thumbnailName,
  type StoredThumbnailKey,
} from './media-paths.js';
import type { MediaPaths } from './storage/media-jobs.js';
import type { ByteRange, MediaStorage, OpenFile, StoredFile } from './storage/media-storage.js';

/** The paths of a media that is being made. */
export interface MediaMaking {
  paths: MediaPaths;
  /** Ends the protection from the garbage collection. */
  end: () => void;
}

/**
 * Files in the media store. Names are made from media ids alone; nothing of a
 * client reaches a path. Errors are those of the storage.
 */
export class MediaFiles {
  /** Temporary names and media ids that have no row yet because they are being made. */
  readonly #inFlight = new Set<string>();

  constructor(private readonly storage: MediaStorage) {}

  /** Path of something in the store. */
  path(...parts: string[]): string {
    return join(this.storage.root, ...parts);
  }

  /** Path of a media's file. */
  filePath(mediaId: string): string {
    const { folder, name } = filePathParts(mediaId);
    return this.path(folder, name);
  }

  thumbnailPath(mediaId: string, key: StoredThumbnailKey): string {
    return this.path(thumbnailFolder(mediaId), thumbnailName(key));
  }

  /** Whether a temporary name or media id belongs to something under way in this process. */
  isInFlight(name: string): boolean {
    return this.#inFlight.has(name);
  }

  /** Keeps the garbage collection off a media id until the returned function is called. */
  protect(mediaId: string): () => void {
    this.#inFlight.add(mediaId);
    return () => this.#inFlight.delete(mediaId);
  }

  /** Where the files of a media go; keeps the garbage collection off them until `end`. */
  begin(mediaId: string): MediaMaking {
    const name = randomBytes(12).toString('hex');
    const unprotect = this.protect(mediaId);
    this.#inFlight.add(name);
    return {
      paths: {
        temporary: this.path(TEMPORARY_FOLDER, name),
        file: this.filePath(mediaId),
        thumbnails: this.path(thumbnailFolder(mediaId)),
      },
      end: () => {
        unprotect();
        this.#inFlight.delete(name);
      },
    };
  }

  /**
   * Removes whatever stands at the paths of a media that did not come to be. Never rejects: the garbage collection
   * finds the rest.
   */
  async discard(paths: MediaPaths): Promise<void> {
    const all: string[] = Object.values(paths);
    await Promise.allSettled(all.map((path) => this.storage.removeAll(path)));
  }

  /** `null`: there is no such file. */
  get(path: string, range?: ByteRange): Promise<OpenFile | null> {
    return this.storage.get(path, range);
  }

  /** `null`: there is none, or something else in its place. */
  find(path: string): Promise<StoredFile | null> {
    return this.storage.find(path);
  }

  /** The same of many; those that are not there are left out. */
  findMany(paths: readonly string[]): Promise<Map<string, StoredFile>> {
    return this.storage.findMany(paths);
  }

  /** Removes a media's file. `gone`: there was none. */
  removeFile(mediaId: string): Promise<'removed' | 'gone'> {
    return this.removePath(this.filePath(mediaId));
  }

  /** The same for any file in the store. */
  removePath(path: string): Promise<'removed' | 'gone'> {
    return this.storage.remove(path);
  }

  /** Removes all thumbnails of a media, known to the store or not. */
  async removeThumbnails(mediaId: string): Promise<void> {
    await this.storage.removeAll(this.path(thumbnailFolder(mediaId)));
  }

  /** Removes the folder for a media's thumbnails, and its day's, when they are empty. */
  async removeEmptyThumbnailFolder(mediaId: string): Promise<void> {
    const folder = this.path(thumbnailFolder(mediaId));
    await this.removeFolderIfEmpty(folder);
    await this.removeFolderIfEmpty(dirname(folder));
  }

  /** Removes the folders of the media's day when they are empty. */
  async removeEmptyFolders(mediaId: string): Promise<void> {
    await this.removeFolderIfEmpty(dirname(this.filePath(mediaId)));
    await this.removeFolderIfEmpty(dirname(this.path(thumbnailFolder(mediaId))));
  }

  /** Removes a folder when it is empty; resolves to whether it was removed. */
  async removeFolderIfEmpty(path: string): Promise<boolean> {
    return (await this.storage.folders?.removeIfEmpty(path)) ?? false;
  }
}
