import { randomBytes } from 'node:crypto';
import { closeSync, fsync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { errorCode } from '../../../base/errors/api-error.js';
import { makeFolders } from '../../../base/make-folders.js';
import { TEMPORARY_FOLDER } from '../media-paths.js';

const FILE_MODE = 0o640;
/** Files are 0640: their folders tell others no more. */
const FOLDER_MODE = 0o750;
/** A folder may vanish between its making and its use, because cleanup removes empty ones. */
const FOLDER_TRIES = 20;
/** File systems that cannot flush a folder say so with these; there is nothing to be done then. */
const UNFLUSHABLE: ReadonlySet<string> = new Set(['EINVAL', 'EPERM', 'EISDIR', 'ENOTSUP']);

const flush = promisify(fsync);

export interface LocalFile {
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
