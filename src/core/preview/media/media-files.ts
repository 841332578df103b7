import { randomBytes } from 'node:crypto';
import { rm, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

import { errorCode } from '../../base/errors/error-code.js';
import {
  TEMPORARY_FOLDER,
  filePathParts,
  thumbnailFolder,
  thumbnailName,
  type StoredThumbnailKey,
} from './media-paths.js';
import { removeFolderIfEmpty } from './storage/durable-folders.js';
import type { MediaPaths } from './storage/media-jobs.js';

/** The paths of a media that is being made. */
export interface MediaMaking {
  paths: MediaPaths;
  /** Ends the protection from the garbage collection. */
  end: () => void;
}

/**
 * Files below `media_store_path`. Names are made from media ids alone; nothing of a
 * client reaches a path. Errors are those of the file system.
 */
export class MediaFiles {
  readonly #root: string;
  /** Temporary names and media ids that have no row yet because they are being made. */
  readonly #inFlight = new Set<string>();

  constructor(storePath: string) {
    this.#root = resolve(storePath);
  }

  /** Absolute path of something below the store. */
  path(...parts: string[]): string {
    return join(this.#root, ...parts);
  }

  /** Absolute path of a media's file. */
  filePath(mediaId: string): string {
    const { folder, name } = filePathParts(mediaId);
    return this.path(folder, name);
  }

  /** Absolute path of a thumbnail. */
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
    await Promise.allSettled(all.map((path) => rm(path, { recursive: true, force: true })));
  }

  /** Removes a media's file. `gone`: there was none. */
  async removeFile(mediaId: string): Promise<'removed' | 'gone'> {
    return this.removePath(this.filePath(mediaId));
  }

  /** The same for any file below the store. */
  async removePath(path: string): Promise<'removed' | 'gone'> {
    try {
      await unlink(path);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      return 'gone';
    }
    return 'removed';
  }

  /** Removes all thumbnails of a media, known to the store or not. */
  async removeThumbnails(mediaId: string): Promise<void> {
    await rm(this.path(thumbnailFolder(mediaId)), { recursive: true, force: true });
  }

  /** Removes the folder for a media's thumbnails, and its day's, when they are empty. */
  async removeEmptyThumbnailFolder(mediaId: string): Promise<void> {
    const folder = this.path(thumbnailFolder(mediaId));
    await removeFolderIfEmpty(folder);
    await removeFolderIfEmpty(dirname(folder));
  }

  /** Removes the folders of the media's day when they are empty. */
  async removeEmptyFolders(mediaId: string): Promise<void> {
    await removeFolderIfEmpty(dirname(this.filePath(mediaId)));
    await removeFolderIfEmpty(dirname(this.path(thumbnailFolder(mediaId))));
  }
}
