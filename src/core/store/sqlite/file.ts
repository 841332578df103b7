import { closeSync, existsSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolders } from '../../base/make-folders.js';
import { toAdapterError } from './sqlite-errors.js';

/**
 * Makes the folder (0700) and the empty file (0600) unless they exist. SQLite gives its side files the same mode.
 * Throws the driver adapter's error for "not reachable".
 */
export function prepareSqliteFile(path: string): void {
  if (existsSync(path)) return;
  try {
    makeFolders(dirname(path), 0o700);
    closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    throw toAdapterError(error);
  }
}
