import { basename, dirname, join } from 'node:path';

import {
  FILE_FOLDER,
  TEMPORARY_FOLDER,
  THUMBNAIL_FOLDER,
  isThumbnailName,
  mediaIdOfPath,
} from './media-paths.js';
import type { ListOptions, MediaStorage } from './storage/media-storage.js';

/** A file that carries a media id in its path. */
export interface ListedMedia {
  mediaId: string;
  path: string;
}

/** Told the path of what is not ours. */
export type OnUnmanaged = (path: string) => void;

const ANY_DAY = '2000-01-01';

const isDay = (name: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(name);
const isMedia = (name: string): boolean => mediaIdOfPath(ANY_DAY, name) !== null;

/** What may stand at each level below a folder of the media store. */
export const FILE_LEVELS: ListOptions['levels'] = [isDay, isMedia];
export const THUMBNAIL_LEVELS: ListOptions['levels'] = [isDay, isMedia, isThumbnailName];
const TEMPORARY_LEVELS: ListOptions['levels'] = [() => true];

/** Lists what lies in the media store, in batches, whatever the database says of it. */
export class MediaListing {
  constructor(private readonly storage: MediaStorage) {}

  /** Whether files are there at all; they are not when the disk is not mounted. */
  hasFiles(): Promise<boolean> {
    return this.storage.hasFolder(this.#path(FILE_FOLDER));
  }

  /** Unfinished files. */
  temporaryFiles(onUnmanaged: OnUnmanaged): AsyncGenerator<string[]> {
    const levels = TEMPORARY_LEVELS;
    return this.storage.list(this.#path(TEMPORARY_FOLDER), { levels, onUnmanaged });
  }

  /** Files of media, day by day. */
  async *mediaFiles(onUnmanaged: OnUnmanaged): AsyncGenerator<ListedMedia[]> {
    const levels = FILE_LEVELS;
    const listed = this.storage.list(this.#path(FILE_FOLDER), { levels, onUnmanaged });
    for await (const paths of listed) yield paths.flatMap((path) => mediaOf(path, path));
  }

  /** Thumbnails, day by day. `onEmpty` is told media whose folder for thumbnails holds none. */
  async *thumbnails(
    onUnmanaged: OnUnmanaged,
    onEmpty: (mediaId: string) => void,
  ): AsyncGenerator<ListedMedia[]> {
    const onEmptyFolder = (path: string): void => {
      for (const { mediaId } of mediaOf(path, path)) onEmpty(mediaId);
    };
    const options = { levels: THUMBNAIL_LEVELS, onUnmanaged, onEmptyFolder };
    for await (const paths of this.storage.list(this.#path(THUMBNAIL_FOLDER), options))
      yield paths.flatMap((path) => mediaOf(dirname(path), path));
  }

  /** Folders of days, of files and of thumbnails; none in a storage without folders. */
  async dayFolders(): Promise<string[]> {
    const { folders } = this.storage;
    if (folders === null) return [];
    const tops = [FILE_FOLDER, THUMBNAIL_FOLDER].map((folder) => folders.list(this.#path(folder), isDay));
    return (await Promise.all(tops)).flat();
  }

  #path(folder: string): string {
    return join(this.storage.root, folder);
  }
}

/** `named` is the path whose last two parts make the media id. */
function mediaOf(named: string, path: string): ListedMedia[] {
  const mediaId = mediaIdOfPath(basename(dirname(named)), basename(named));
  return mediaId === null ? [] : [{ mediaId, path }];
}
