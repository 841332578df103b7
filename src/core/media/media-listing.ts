import { opendir, readdir, stat } from 'node:fs/promises';

import type { MediaFiles } from './media-files.js';
import { FILE_FOLDER, TEMPORARY_FOLDER, THUMBNAIL_FOLDER, mediaIdOfPlace } from './media-paths.js';
import { fileErrorCode } from './storage-error.js';

/** An entry of a day's folder that carries a media id. */
export interface ListedMedia {
  mediaId: string;
  /** Absolute; a file, or for thumbnails a folder. */
  path: string;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Lists what lies below `media_store_path`, in batches, whatever the store says of it. */
export class MediaListing {
  constructor(
    private readonly files: MediaFiles,
    private readonly batch: number,
  ) {}

  /** Whether the folder of files is there at all; it is not when the disk is not mounted. */
  async hasFiles(): Promise<boolean> {
    return (await statOrNull(this.files.path(FILE_FOLDER))) !== null;
  }

  /** Names of unfinished files. */
  async temporaryNames(): Promise<string[]> {
    return readdirOrEmpty(this.files.path(TEMPORARY_FOLDER));
  }

  /** Files of media, day by day. */
  mediaFiles(): AsyncGenerator<ListedMedia[]> {
    return this.#entries(FILE_FOLDER);
  }

  /** Folders with thumbnails of one media each, day by day. */
  thumbnailFolders(): AsyncGenerator<ListedMedia[]> {
    return this.#entries(THUMBNAIL_FOLDER);
  }

  async *#entries(folder: string): AsyncGenerator<ListedMedia[]> {
    for (const day of await readdirOrEmpty(this.files.path(folder))) {
      if (DAY.test(day)) yield* this.#day(folder, day);
    }
  }

  async *#day(folder: string, day: string): AsyncGenerator<ListedMedia[]> {
    let found: ListedMedia[] = [];
    for await (const { name } of await opendir(this.files.path(folder, day))) {
      const mediaId = mediaIdOfPlace(day, name);
      if (mediaId !== null) found.push({ mediaId, path: this.files.path(folder, day, name) });
      if (found.length < this.batch) continue;
      yield found;
      found = [];
    }
    if (found.length > 0) yield found;
  }
}

/** Names in a folder, sorted; none when there is no such folder. */
export async function readdirOrEmpty(path: string): Promise<string[]> {
  try {
    return (await readdir(path)).toSorted();
  } catch (error) {
    if (fileErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Size and age of a file; `null` when it is not there. */
export async function statOrNull(path: string): Promise<{ sizeBytes: number; modifiedTs: number } | null> {
  try {
    const { size, mtimeMs } = await stat(path);
    return { sizeBytes: size, modifiedTs: mtimeMs };
  } catch (error) {
    if (fileErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}
