import type { Dirent } from 'node:fs';
import { opendir, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { errorCode } from '../../base/errors/error-code.js';
import type { MediaFiles } from './media-files.js';
import {
  FILE_FOLDER,
  TEMPORARY_FOLDER,
  THUMBNAIL_FOLDER,
  isThumbnailName,
  mediaIdOfPath,
} from './media-paths.js';

/** An entry of a day's folder that carries a media id. */
export interface ListedMedia {
  mediaId: string;
  /** Absolute; a file, or for thumbnails a folder. */
  path: string;
}

/** Told the absolute path of what is not ours: of another name, or a folder where a file belongs and the reverse. */
export type OnUnmanaged = (path: string) => void;

type IsOurs = (entry: Dirent) => boolean;

const DAY = /^\d{4}-\d{2}-\d{2}$/;

// Links are taken for what is expected: an operator may have moved a part of the store.
const mayBeFile: IsOurs = (entry) => !entry.isDirectory();
const mayBeFolder: IsOurs = (entry) => !entry.isFile();

/** Lists what lies below `media_store_path`, in batches, whatever the store says of it. */
export class MediaListing {
  constructor(
    private readonly files: MediaFiles,
    private readonly batch: number,
  ) {}

  /** Whether the folder of files is there at all; it is not when the disk is not mounted. */
  async hasFiles(): Promise<boolean> {
    return (await foldersIn(this.files.path())).includes(FILE_FOLDER);
  }

  /** Unfinished files, absolute. */
  temporaryFiles(onUnmanaged: OnUnmanaged): Promise<string[]> {
    return pick(this.files.path(TEMPORARY_FOLDER), mayBeFile, onUnmanaged);
  }

  /** Files of media, day by day. */
  mediaFiles(onUnmanaged: OnUnmanaged): AsyncGenerator<ListedMedia[]> {
    return this.#entries(FILE_FOLDER, mayBeFile, onUnmanaged);
  }

  /** Folders with thumbnails of one media each, day by day. */
  thumbnailFolders(onUnmanaged: OnUnmanaged): AsyncGenerator<ListedMedia[]> {
    return this.#entries(THUMBNAIL_FOLDER, mayBeFolder, onUnmanaged);
  }

  /** Thumbnails in such a folder, absolute. */
  thumbnails(folder: string, onUnmanaged: OnUnmanaged): Promise<string[]> {
    return pick(folder, (entry) => isThumbnailName(entry.name) && mayBeFile(entry), onUnmanaged);
  }

  /** Folders of days, of files and of thumbnails, absolute. */
  async dayFolders(): Promise<string[]> {
    const tops = [FILE_FOLDER, THUMBNAIL_FOLDER].map((folder) => this.files.path(folder));
    const days = await Promise.all(
      tops.map(async (top) => (await foldersIn(top)).map((name) => join(top, name))),
    );
    return days.flat().filter((path) => DAY.test(basename(path)));
  }

  async *#entries(folder: string, isOurs: IsOurs, onUnmanaged: OnUnmanaged): AsyncGenerator<ListedMedia[]> {
    const isDay: IsOurs = (entry) => DAY.test(entry.name) && mayBeFolder(entry);
    for (const path of await pick(this.files.path(folder), isDay, onUnmanaged)) {
      yield* this.#day(path, isOurs, onUnmanaged);
    }
  }

  async *#day(folder: string, isOurs: IsOurs, onUnmanaged: OnUnmanaged): AsyncGenerator<ListedMedia[]> {
    let found: ListedMedia[] = [];
    for await (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      const mediaId = mediaIdOfPath(basename(folder), entry.name);
      if (mediaId === null || !isOurs(entry)) onUnmanaged(path);
      else found.push({ mediaId, path });
      if (found.length < this.batch) continue;
      yield found;
      found = [];
    }
    if (found.length > 0) yield found;
  }
}

/** Entries of a large folder; none when there is no such folder, as when it has been removed meanwhile. */
async function* entriesOf(folder: string): AsyncGenerator<Dirent> {
  try {
    yield* await opendir(folder);
  } catch (error) {
    if (!isAbsence(error)) throw error;
  }
}

/** The same of one with few entries, sooner. */
async function allEntriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (isAbsence(error)) return [];
    throw error;
  }
}

/** Paths of what is ours in a folder, sorted. */
async function pick(folder: string, isOurs: IsOurs, onUnmanaged: OnUnmanaged): Promise<string[]> {
  const paths: string[] = [];
  for (const entry of await allEntriesOf(folder)) {
    const path = join(folder, entry.name);
    if (isOurs(entry)) paths.push(path);
    else onUnmanaged(path);
  }
  return paths.toSorted();
}

async function foldersIn(path: string): Promise<string[]> {
  return (await allEntriesOf(path)).filter(mayBeFolder).map(({ name }) => name);
}

/** Size and age of a file; `null` when there is none, or something else in its place. */
export async function statOrNull(path: string): Promise<{ sizeBytes: number; modifiedTs: number } | null> {
  try {
    const found = await stat(path);
    return found.isFile() ? { sizeBytes: found.size, modifiedTs: found.mtimeMs } : null;
  } catch (error) {
    if (isAbsence(error)) return null;
    throw error;
  }
}

/** Nothing there, or a file where a folder of the path should be. */
function isAbsence(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}
