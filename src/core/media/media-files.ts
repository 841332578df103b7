import { randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

import { flushFolder, makeFolder, removeFolderIfEmpty } from './durable-folders.js';
import { TEMPORARY_FOLDER, filePlace, thumbnailFolder, thumbnailName } from './media-paths.js';
import type { ThumbnailKey } from './media-paths.js';
import { MediaWriter } from './media-writer.js';
import { fileErrorCode } from './storage-error.js';

/** A thumbnail with its bytes. */
export interface ThumbnailBytes extends ThumbnailKey {
  bytes: Buffer;
}

/** A folder may vanish between its making and its use, because cleanup removes empty ones. */
const PLACING_TRIES = 20;
const FILE_MODE = 0o640;

/**
 * Files below `media_store_path`. An original appears under its name complete and flushed, or not at all. Names are
 * made from media ids alone; nothing of a client reaches a path. Errors are those of the file system.
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
    const { folder, name } = filePlace(mediaId);
    return this.path(folder, name);
  }

  /** Absolute path of a thumbnail. */
  thumbnailPath(mediaId: string, key: ThumbnailKey): string {
    return this.path(thumbnailFolder(mediaId), thumbnailName(key));
  }

  /** Whether a temporary name or media id belongs to something under way in this process. */
  isInFlight(name: string): boolean {
    return this.#inFlight.has(name);
  }

  /** Keeps the sweep off a media id until the returned function is called. */
  protect(mediaId: string): () => void {
    this.#inFlight.add(mediaId);
    return () => this.#inFlight.delete(mediaId);
  }

  /** A new file under a temporary name in the same file system. */
  async openWriter(): Promise<MediaWriter> {
    const name = randomBytes(12).toString('hex');
    this.#inFlight.add(name);
    const path = this.path(TEMPORARY_FOLDER, name);
    try {
      return new MediaWriter(await openNew(path), path, () => this.#inFlight.delete(name));
    } catch (error) {
      this.#inFlight.delete(name);
      throw error;
    }
  }

  /** Gives a finished file its final name, durably. */
  async place(temporaryPath: string, mediaId: string): Promise<void> {
    const { folder } = filePlace(mediaId);
    await moveIntoFolder(this.path(folder), temporaryPath, this.filePath(mediaId));
  }

  /**
   * Writes thumbnails of one media. Not flushed: they can be made again, and one that a power failure cut short
   * does not have the size that its row states.
   */
  async writeThumbnails(mediaId: string, thumbnails: readonly ThumbnailBytes[]): Promise<void> {
    if (thumbnails.length === 0) return;
    const folder = this.path(thumbnailFolder(mediaId));
    if (await makeNewFolder(folder)) await this.#writeFirst(mediaId, thumbnails);
    else await this.#addThumbnails(mediaId, thumbnails);
  }

  /** Under their final names at once, since no row leads here yet. */
  async #writeFirst(mediaId: string, thumbnails: readonly ThumbnailBytes[]): Promise<void> {
    try {
      // One after the other: file systems make files in one folder no faster at once, only dearer.
      for (const thumbnail of thumbnails) {
        await writeFile(this.thumbnailPath(mediaId, thumbnail), thumbnail.bytes, {
          flag: 'wx',
          mode: FILE_MODE,
        });
      }
    } catch (error) {
      await this.removeThumbnails(mediaId);
      throw error;
    }
  }

  /** Beside others, perhaps in place of one that is being read. */
  async #addThumbnails(mediaId: string, thumbnails: readonly ThumbnailBytes[]): Promise<void> {
    for (const thumbnail of thumbnails) {
      const writer = await this.openWriter();
      try {
        await writer.write(thumbnail.bytes);
        await writer.close();
        await rename(writer.path, this.thumbnailPath(mediaId, thumbnail));
        writer.release();
      } catch (error) {
        await writer.abort();
        throw error;
      }
    }
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
      if (fileErrorCode(error) !== 'ENOENT') throw error;
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

/** Renames a file into a folder and flushes that; makes the folder when it is missing. */
async function moveIntoFolder(folder: string, from: string, to: string): Promise<void> {
  for (let tried = 0; ; tried += 1) {
    try {
      if (tried > 0) await makeFolder(folder);
      await rename(from, to);
      break;
    } catch (error) {
      if (fileErrorCode(error) !== 'ENOENT' || tried >= PLACING_TRIES) throw error;
    }
  }
  await flushFolder(folder);
}

/** Makes a folder, and those above it when they are missing; `false` when it was there. */
async function makeNewFolder(folder: string): Promise<boolean> {
  for (let tried = 0; ; tried += 1) {
    try {
      if (tried > 0) await makeFolder(dirname(folder));
      await mkdir(folder);
      return true;
    } catch (error) {
      const code = fileErrorCode(error);
      if (code === 'EEXIST') return false;
      if (code !== 'ENOENT' || tried >= PLACING_TRIES) throw error;
    }
  }
}

async function openNew(path: string): ReturnType<typeof open> {
  try {
    return await open(path, 'wx', FILE_MODE);
  } catch (error) {
    if (fileErrorCode(error) !== 'ENOENT') throw error;
    await makeFolder(dirname(path));
    return open(path, 'wx', FILE_MODE);
  }
}
