import { closeSync, fsync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

import { errorCode } from '../../../base/errors/error-code.js';
import { FOLDER_MODE, flushFolder, makeFolder } from './durable-folders.js';

/** A folder may vanish between its making and its use, because cleanup removes empty ones. */
const PLACING_TRIES = 20;
const FILE_MODE = 0o640;

const flush = promisify(fsync);

/*
 * These run beside the event loop. Only flushing waits for the disk and is asynchronous; for everything else the
 * system's caches answer, and one more change of threads costs several times what the call itself does.
 */

/** Writes a new file and flushes it. Rejects with the file system's error; what is written by then stays. */
export async function writeFlushed(path: string, bytes: Uint8Array): Promise<void> {
  const file = await openNew(path);
  try {
    writeFileSync(file, bytes);
    await flush(file);
  } finally {
    closeSync(file);
  }
}

/** Writes a new file that can be made again: it is not flushed. */
export async function writeNew(path: string, bytes: Uint8Array): Promise<void> {
  const file = await openNew(path);
  try {
    writeFileSync(file, bytes);
  } finally {
    closeSync(file);
  }
}

async function openNew(path: string): Promise<number> {
  try {
    return openSync(path, 'wx', FILE_MODE);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    await makeFolder(dirname(path));
    return openSync(path, 'wx', FILE_MODE);
  }
}

/** Gives a file its final name, durably; makes the folder when it is missing. */
export async function moveDurably(from: string, to: string): Promise<void> {
  const folder = dirname(to);
  for (let tried = 0; ; tried += 1) {
    try {
      if (tried > 0) await makeFolder(folder);
      renameSync(from, to);
      break;
    } catch (error) {
      if (errorCode(error) !== 'ENOENT' || tried >= PLACING_TRIES) throw error;
    }
  }
  await flushFolder(folder);
}

/** Makes a folder that can be made again, and those above it when they are missing; that it is there is fine. */
export async function makeUnflushedFolder(folder: string): Promise<void> {
  for (let tried = 0; ; tried += 1) {
    try {
      if (tried > 0) await makeFolder(dirname(folder));
      mkdirSync(folder, FOLDER_MODE);
      return;
    } catch (error) {
      const code = errorCode(error);
      if (code === 'EEXIST') return;
      if (code !== 'ENOENT' || tried >= PLACING_TRIES) throw error;
    }
  }
}

/** Removes a file or a folder with everything in it; that there is none is fine. */
export function removeAll(path: string): void {
  rmSync(path, { recursive: true, force: true });
}
