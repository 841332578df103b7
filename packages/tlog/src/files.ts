import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes a file, mode 0600, durably and so that a crash leaves either the old or the new content. */
export async function writeWholeFile(path: string, text: string): Promise<void> {
  const unfinished = `${path}.${process.pid}.new`;
  try {
    await writeDurably(unfinished, text, 'w');
    await rename(unfinished, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Writes a new file, mode 0600, durably. Rejects with `EEXIST` when there is one. */
export async function writeNewFile(path: string, text: string): Promise<void> {
  await writeDurably(path, text, 'wx');
  await syncFolder(dirname(path));
}

/** The system's code of a failure, such as `ENOENT`. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

async function writeDurably(path: string, text: string, flags: 'w' | 'wx'): Promise<void> {
  const file = await open(path, flags, 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Windows cannot sync folders. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
