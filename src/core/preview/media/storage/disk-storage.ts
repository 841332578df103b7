import { randomBytes } from 'node:crypto';
import { createReadStream, type Dirent } from 'node:fs';
import { open, opendir, readdir, rm, stat, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { errorCode } from '../../../base/errors/error-code.js';
import { TEMPORARY_FOLDER } from '../media-paths.js';
import { moveDurably } from './durable-files.js';
import { makeFolder, removeFolderIfEmpty } from './durable-folders.js';
import {
  inBatches,
  type ByteRange,
  type Folders,
  type ListOptions,
  type MediaStorage,
  type NewFile,
  type OpenFile,
  type StoredFile,
} from './media-storage.js';

// Links are taken for what is expected: an operator may have moved a part of the store.
const mayBeFile = (entry: Dirent): boolean => !entry.isDirectory();
const mayBeFolder = (entry: Dirent): boolean => !entry.isFile();

const FILE_MODE = 0o640;

/** Files below `media_store_path`. */
export class DiskStorage implements MediaStorage {
  readonly root: string;
  readonly folders: Folders = {
    removeIfEmpty: removeFolderIfEmpty,
    list: async (path, isOurs) =>
      (await entriesOf(path))
        .filter((entry) => mayBeFolder(entry) && isOurs(entry.name))
        .map(({ name }) => join(path, name)),
  };

  constructor(storePath: string) {
    this.root = resolve(storePath);
  }

  /** Under a temporary name, flushed, then under its final name. */
  async put(path: string, { body, sizeBytes }: NewFile): Promise<void> {
    const temporary = join(this.root, TEMPORARY_FOLDER, randomBytes(12).toString('hex'));
    await makeFolder(dirname(temporary));
    try {
      const file = await open(temporary, 'wx', FILE_MODE);
      const source = body instanceof Readable ? body : Readable.from([body]);
      await pipeline(source, file.createWriteStream({ flush: true }));
      const written = await stat(temporary);
      if (written.size !== sizeBytes) throw new Error(`${written.size} bytes came instead of ${sizeBytes}`);
      await moveDurably(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  async get(path: string, range?: ByteRange): Promise<OpenFile | null> {
    try {
      const file = await open(path, 'r');
      const found = await file.stat();
      if (!found.isFile()) {
        await file.close();
        return null;
      }
      const part = range === undefined ? {} : { start: range.first, end: range.last };
      return { body: createReadStream(path, { fd: file, ...part }), sizeBytes: found.size };
    } catch (error) {
      if (isAbsence(error)) return null;
      throw error;
    }
  }

  async find(path: string): Promise<StoredFile | null> {
    try {
      const found = await stat(path);
      return found.isFile() ? { sizeBytes: found.size, modifiedTs: found.mtimeMs } : null;
    } catch (error) {
      if (isAbsence(error)) return null;
      throw error;
    }
  }

  async findMany(paths: readonly string[]): Promise<Map<string, StoredFile>> {
    const found = new Map<string, StoredFile>();
    for (const path of paths) {
      const file = await this.find(path);
      if (file !== null) found.set(path, file);
    }
    return found;
  }

  async remove(path: string): Promise<'removed' | 'gone'> {
    try {
      await unlink(path);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      return 'gone';
    }
    return 'removed';
  }

  async removeAll(folder: string): Promise<void> {
    await rm(folder, { recursive: true, force: true });
  }

  list(folder: string, options: ListOptions): AsyncGenerator<string[]> {
    return inBatches(filesBelow(folder, options));
  }

  async hasFolder(folder: string): Promise<boolean> {
    try {
      return (await stat(folder)).isDirectory();
    } catch (error) {
      if (isAbsence(error)) return false;
      throw error;
    }
  }
}

async function* filesBelow(folder: string, options: ListOptions): AsyncGenerator<string> {
  const { levels, onUnmanaged } = options;
  const [isOurs = () => false, ...below] = levels;
  if (below.length === 0) {
    yield* filesIn(folder, isOurs, options);
    return;
  }
  for (const entry of (await entriesOf(folder)).toSorted(byName)) {
    const path = join(folder, entry.name);
    if (!isOurs(entry.name) || !mayBeFolder(entry)) onUnmanaged?.(path);
    else yield* filesBelow(path, { ...options, levels: below });
  }
}

/** Those of a folder that may be large, in no order. */
async function* filesIn(
  folder: string,
  isOurs: (name: string) => boolean,
  { onUnmanaged, onEmptyFolder }: ListOptions,
): AsyncGenerator<string> {
  let isEmpty = true;
  try {
    for await (const entry of await opendir(folder)) {
      isEmpty = false;
      const path = join(folder, entry.name);
      if (isOurs(entry.name) && mayBeFile(entry)) yield path;
      else onUnmanaged?.(path);
    }
  } catch (error) {
    if (!isAbsence(error)) throw error;
    return;
  }
  if (isEmpty) onEmptyFolder?.(folder);
}

/** None when there is no such folder, as when it has been removed meanwhile. */
async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (isAbsence(error)) return [];
    throw error;
  }
}

function byName(one: Dirent, other: Dirent): number {
  return one.name < other.name ? -1 : 1;
}

/** Nothing there, or a file where a folder of the path should be. */
function isAbsence(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}
