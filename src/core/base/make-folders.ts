import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

import { errorCode } from './errors/api-error.js';

/**
 * Makes a folder and those above it that are missing; returns the topmost one it made, `undefined` when the folder
 * was there. Throws the system's error. Node's own `recursive` never ends where the system takes no folders and
 * says so with ENOENT, such as below `/proc`.
 */
export function makeFolders(path: string, mode = 0o777): string | undefined {
  const missing: string[] = [];
  for (let folder = path; !existsSync(folder); folder = dirname(folder)) missing.unshift(folder);
  for (const folder of missing) {
    try {
      mkdirSync(folder, mode);
    } catch (error) {
      // Somebody else was faster.
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
  return missing[0];
}
