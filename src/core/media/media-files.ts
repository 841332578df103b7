import { randomBytes } from 'node:crypto';
import { open, rename, rm, unlink } from 'node:fs/promises';
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

/**
 * Files below `media_store_path`. A file appears under its name complete and flushed, or not at all. Names are
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
    await moveIntoFolder(this.path(folder), [{ from: temporaryPath, to: this.filePath(mediaId) }]);
  }

  /** Writes thumbnails of one media, durably. */
  async writeThumbnails(mediaId: string, thumbnails: readonly ThumbnailBytes[]): Promise<void> {
    if (thumbnails.length === 0) return;
    const moves: Move[] = [];
    const writers: MediaWriter[] = [];
    try {
      for (const thumbnail of thumbnails) {
        const writer = await this.openWriter();
        writers.push(writer);
        await writer.write(thumbnail.bytes);
        moves.push({ from: writer.path, to: this.thumbnailPath(mediaId, thumbnail) });
      }
      await settleAll(writers.map((writer) => writer.finish()));
      await moveIntoFolder(this.path(thumbnailFolder(mediaId)), moves);
      for (const writer of writers) writer.release();
    } catch (error) {
      await settleAll(writers.map((writer) => writer.abort()));
      throw error;
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

interface Move {
  from: string;
  to: string;
}

/** Renames files into one folder and flushes it; makes the folder when it is missing. */
async function moveIntoFolder(folder: string, moves: readonly Move[]): Promise<void> {
  const pending = [...moves];
  for (let tried = 0; ; tried += 1) {
    try {
      if (tried > 0) await makeFolder(folder);
      for (let next = pending[0]; next !== undefined; next = pending[0]) {
        await rename(next.from, next.to);
        pending.shift();
      }
      await flushFolder(folder);
      return;
    } catch (error) {
      if (fileErrorCode(error) !== 'ENOENT' || tried >= PLACING_TRIES) throw error;
    }
  }
}

async function openNew(path: string): ReturnType<typeof open> {
  try {
    return await open(path, 'wx', 0o640);
  } catch (error) {
    if (fileErrorCode(error) !== 'ENOENT') throw error;
    await makeFolder(dirname(path));
    return open(path, 'wx', 0o640);
  }
}

/** Like `Promise.all`, but waits for the slower ones before it rejects, so that nothing goes on behind. */
async function settleAll<T>(work: readonly Promise<T>[]): Promise<T[]> {
  const outcomes = await Promise.allSettled(work);
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}
