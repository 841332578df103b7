import { randomBytes } from 'node:crypto';
import { closeSync, fsync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { errorCode } from '../../base/errors/api-error.js';
import { makeFolders } from '../../base/make-folders.js';
import {
  Thumbnailer,
  type Thumbnail,
  type InspectedMedia,
  type RenderedImage,
  type RenderJob,
} from './image/thumbnailer.js';
import { filePath, TEMPORARY_FOLDER, thumbnailPath } from './media-paths.js';

/** A media's file on a disk of this machine, below the folder of all media. */
export interface LocalMedia {
  folder: string;
  mediaId: string;
}

export interface InspectOptions {
  /** Of images with fewer pixels the size is looked for; `null`: of none. */
  maxPixels: number | null;
  /** The file to be made of the bytes; `null`: none. */
  disk: LocalMedia | null;
}

/** Work on the bytes and local files of media, done in the worker thread. */
export class MediaWork {
  readonly thumbnailer = new Thumbnailer();

  /** What bytes are; on `disk` they become the media's file first. Rejects with the errors of the file system. */
  async inspect(bytes: Buffer, { maxPixels, disk }: InspectOptions): Promise<InspectedMedia> {
    const found = await this.thumbnailer.inspect(bytes, maxPixels);
    if (disk !== null)
      await writeLocalFile({ folder: disk.folder, path: filePath(disk.mediaId), isDurable: true }, bytes);
    return found;
  }

  /**
   * Thumbnails of an image: of bytes, with theirs; or of a file, as files beside it. `null`: there is no such file.
   * Rejects with the errors of the file system.
   */
  async render(source: Buffer | LocalMedia, job: RenderJob): Promise<RenderedImage | null> {
    if (Buffer.isBuffer(source)) return this.thumbnailer.render(source, job);
    const { folder, mediaId } = source;
    const bytes = readUnlessAbsent(join(folder, filePath(mediaId)));
    if (bytes === null) return null;
    const rendered = await this.thumbnailer.render(bytes, job);
    if ('decodeError' in rendered) return rendered;
    const thumbnails: Thumbnail[] = [];
    // Not flushed: one that a power failure cut short does not have the size that its row states.
    for (const { bytes: thumbnail, ...made } of rendered.thumbnails) {
      const path = thumbnailPath(mediaId, made);
      if (thumbnail !== undefined) await writeLocalFile({ folder, path, isDurable: false }, thumbnail);
      thumbnails.push(made);
    }
    return { thumbnails };
  }
}

function readUnlessAbsent(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return null;
  }
}

const FILE_MODE = 0o640;
/** Files are 0640: their folders tell others no more. */
const FOLDER_MODE = 0o750;
/** A folder may vanish between its making and its use, because cleanup removes empty ones. */
const FOLDER_TRIES = 20;
/** File systems that cannot flush a folder say so with these; there is nothing to be done then. */
const UNFLUSHABLE: ReadonlySet<string> = new Set(['EINVAL', 'EPERM', 'EISDIR', 'ENOTSUP']);

const flush = promisify(fsync);

interface LocalFile {
  folder: string;
  path: string;
  isDurable: boolean;
}

/**
 * Replaces a file: under a temporary name first, flushed with its folder when it is to be durable. For the worker
 * thread: only flushing waits for the disk; all else the system's cache answers, and handing each call to a thread of
 * libuv costs several times what the call does.
 */
export async function writeLocalFile(
  { folder, path, isDurable }: LocalFile,
  bytes: Uint8Array,
): Promise<void> {
  const temporary = join(folder, TEMPORARY_FOLDER, randomBytes(12).toString('hex'));
  const target = join(folder, path);
  try {
    const file = await withFolder(temporary, isDurable, () => openSync(temporary, 'wx', FILE_MODE));
    try {
      writeFileSync(file, bytes);
      if (isDurable) await flush(file);
    } finally {
      closeSync(file);
    }
    await withFolder(target, isDurable, () => renameSync(temporary, target));
    if (isDurable) await flushFolder(dirname(target));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Does something at a path, for which the folder is made when it is missing. */
async function withFolder<T>(path: string, isDurable: boolean, work: () => T): Promise<T> {
  for (let tried = 0; ; tried += 1) {
    try {
      if (tried > 0) await makeFolder(dirname(path), isDurable);
      return work();
    } catch (error) {
      if (errorCode(error) !== 'ENOENT' || tried >= FOLDER_TRIES) throw error;
    }
  }
}

/** Makes a folder with its parents, and flushes the entries of those it made. */
async function makeFolder(path: string, isDurable: boolean): Promise<void> {
  const first = makeFolders(path, FOLDER_MODE);
  if (first === undefined || !isDurable) return;
  const top = dirname(first);
  for (let parent = dirname(path); ; parent = dirname(parent)) {
    await flushFolder(parent);
    if (parent === top || parent.length <= top.length) return;
  }
}

async function flushFolder(path: string): Promise<void> {
  const folder = openSync(path, 'r');
  try {
    await flush(folder);
  } catch (error) {
    if (!UNFLUSHABLE.has(errorCode(error))) throw error;
  } finally {
    closeSync(folder);
  }
}
