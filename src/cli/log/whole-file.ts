import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

import { errorCode } from '../../core/base/errors/error-code.js';
import { CommandError, EXIT } from '../exit.js';

/**
 * Writes a file, mode 0600, so that a crash leaves either the old or the new one. Throws `CommandError` with what the
 * system says.
 */
export async function writeWholeFile(path: string, text: string): Promise<void> {
  const unfinished = `${path}.${process.pid}.new`;
  try {
    const file = await open(unfinished, 'w', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw new CommandError(`${path} cannot be written (${errorCode(error)}).`, EXIT.use);
  }
}

/** Windows has no such notion. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
