import { createReadStream, type Dir, type Dirent } from 'node:fs';
import { open, opendir, readdir, rm, rmdir, stat, statfs, unlink } from 'node:fs/promises';
import { join } from 'node:path';

import { ApiError, errorCode } from '../../../base/errors/api-error.js';
import type { MediaInspector } from '../../preview-worker.js';
import type { RenderedImage, RenderJob } from '../image/thumbnailer.js';
import type {
  ByteRange,
  ListOptions,
  MediaStorage,
  OpenFile,
  StoredBytes,
  StoredFile,
} from './media-storage.js';

/** Where media lies, and what of the disk is left for everything else that lies there. */
export interface DiskStorageOptions {
  folder: string;
  inspector: MediaInspector;
  /** Setting media.min_free_space; 0 when absent. */
  minFreeBytes?: number;
  /** Called for each file that is refused, with the free bytes. */
  onRefused?: (freeBytes: number) => void;
}

const LIST_BATCH = 500;

export class DiskStorage implements MediaStorage {
  /** Of files that are being written. */
  #takenBytes = 0;

  constructor(private readonly options: DiskStorageOptions) {}

  /** The worker thread writes it. */
  async store(mediaId: string, bytes: Buffer, maxPixels: number | null): Promise<StoredBytes> {
    const { folder, inspector } = this.options;
    // The bytes move to the thread, and are none here afterwards.
    const sizeBytes = bytes.length;
    this.#takenBytes += sizeBytes;
    try {
      await this.#requireSpace();
      return await inspector.inspect(bytes, { maxPixels, disk: { folder, mediaId } });
    } finally {
      this.#takenBytes -= sizeBytes;
    }
  }

  makeThumbnails(mediaId: string, job: RenderJob): Promise<RenderedImage | null> {
    const { folder, inspector } = this.options;
    return inspector.render({ folder, mediaId }, job);
  }

  get(path: string, range?: ByteRange): Promise<OpenFile | null> {
    return unlessAbsent(async () => {
      const file = await open(this.#at(path), 'r');
      const found = await file.stat().catch(async (error: unknown) => {
        await file.close();
        throw error;
      });
      const part = range === undefined ? {} : { start: range.first, end: range.last };
      if (found.isFile()) return { body: createReadStream('', { fd: file, ...part }), sizeBytes: found.size };
      await file.close();
      return null;
    }, null);
  }

  find(path: string): Promise<StoredFile | null> {
    return unlessAbsent(async () => {
      const found = await stat(this.#at(path));
      return found.isFile() ? { sizeBytes: found.size, modifiedTs: found.mtimeMs } : null;
    }, null);
  }

  async remove(path: string): Promise<boolean> {
    try {
      await unlink(this.#at(path));
      return true;
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      return false;
    }
  }

  async removeAll(folder: string): Promise<void> {
    // A thumbnail may be written into it meanwhile: ENOTEMPTY.
    await rm(this.#at(folder), { recursive: true, force: true, maxRetries: 3 });
  }

  async removeIfEmpty(folder: string): Promise<void> {
    await rmdir(this.#at(folder)).catch((error: unknown) => {
      if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(errorCode(error))) throw error;
    });
  }

  async *list(folder: string, options: ListOptions): AsyncGenerator<string[]> {
    let batch: string[] = [];
    for await (const path of this.#filesBelow(folder, options)) {
      batch.push(path);
      if (batch.length < LIST_BATCH) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }

  hasFolder(folder: string): Promise<boolean> {
    return unlessAbsent(async () => (await stat(this.#at(folder))).isDirectory(), false);
  }

  #at(path: string): string {
    return join(this.options.folder, path);
  }

  /**
   * Anybody can link to pages of many megabytes that take a few kilobytes to send, and a full disk keeps the keys of
   * other servers from being stored. Does nothing where the file system does not say how much is free.
   */
  async #requireSpace(): Promise<void> {
    const { folder, minFreeBytes = 0, onRefused } = this.options;
    if (minFreeBytes === 0) return;
    // A folder that is not there yet is made by writing.
    const found = await statfs(folder).catch(() => null);
    if (found === null || found.blocks === 0) return;
    const freeBytes = found.bavail * found.bsize;
    if (freeBytes - this.#takenBytes >= minFreeBytes) return;
    onRefused?.(freeBytes);
    throw new ApiError(500, 'The media could not be stored', {
      reason: 'disk_full',
      detail: 'Less than media.min_free_space would be left on the disk of media_store_path',
    });
  }

  async *#filesBelow(folder: string, { levels, onUnmanaged }: ListOptions): AsyncGenerator<string> {
    const [isOurs = () => false, ...below] = levels;
    const isLast = below.length === 0;
    for await (const entry of await this.#entriesOf(folder, isLast)) {
      const path = join(folder, entry.name);
      // Links are taken for what is expected: an operator may have moved a part of the store.
      const isExpected = isLast ? !entry.isDirectory() : !entry.isFile();
      if (!isOurs(entry.name) || !isExpected) onUnmanaged?.(path);
      else if (isLast) yield path;
      else yield* this.#filesBelow(path, { levels: below, onUnmanaged });
    }
  }

  /** In order of their names unless the folder may be large. None when it is not there, or has been removed meanwhile. */
  #entriesOf(folder: string, isLarge: boolean): Promise<Dir | Dirent[]> {
    const path = this.#at(folder);
    return unlessAbsent<Dir | Dirent[]>(async () => {
      if (isLarge) return opendir(path);
      const entries = await readdir(path, { withFileTypes: true });
      return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
    }, []);
  }
}

/** The value given for nothing there, or a file where a folder of the path should be. */
async function unlessAbsent<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes(errorCode(error))) throw error;
    return otherwise;
  }
}
