import { closeSync, fsync, openSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

import { errorCode } from '../../../base/errors/error-code.js';
import { makeFolders } from '../../../base/make-folders.js';

/** File systems that cannot flush a folder say so with these; there is nothing to be done then. */
const UNFLUSHABLE: ReadonlySet<string> = new Set(['EINVAL', 'EPERM', 'EISDIR', 'ENOTSUP']);

const flush = promisify(fsync);

/** Flushes a folder's entries to disk. */
export async function flushFolder(path: string): Promise<void> {
  const file = openSync(path, 'r');
  try {
    await flush(file);
  } catch (error) {
    if (!UNFLUSHABLE.has(errorCode(error))) throw error;
  } finally {
    closeSync(file);
  }
}

/** Files are 0640: their folders tell others no more. */
export const FOLDER_MODE = 0o750;

/** Makes a folder with its parents, and flushes the entries of those it made. */
export async function makeFolder(path: string): Promise<void> {
  const first = makeFolders(path, FOLDER_MODE);
  if (first === undefined) return;
  const top = dirname(first);
  for (let parent = dirname(path); ; parent = dirname(parent)) {
    await flushFolder(parent);
    if (parent === top || parent.length <= top.length) return;
  }
}

/** Removes a folder when it is empty; that it is not, or not there, is fine. Resolves to whether it was removed. */
export async function removeFolderIfEmpty(path: string): Promise<boolean> {
  try {
    await rmdir(path);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOENT') throw error;
    return false;
  }
}
