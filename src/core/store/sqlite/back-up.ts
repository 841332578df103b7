import { closeSync, openSync, renameSync, rmSync } from 'node:fs';

import { openDriver } from './driver.js';
import { toAdapterError } from './sqlite-errors.js';

/** Blocks the process: for commands only. */
const BUSY_TIMEOUT_MS = 5000;

/**
 * Writes a whole and consistent copy of a SQLite file, readable by its owner only, while a server may run on it. The
 * copy takes its name when it is complete. Rejects as an unavailable store, or when `output` exists.
 */
export function backUpSqlite(path: string, output: string): void {
  closeSync(openSync(output, 'wx', 0o600));
  const unfinished = `${output}.unfinished`;
  try {
    // VACUUM INTO accepts an empty file and keeps its mode.
    closeSync(openSync(unfinished, 'wx', 0o600));
    const database = openDriver(path, BUSY_TIMEOUT_MS);
    try {
      database.prepare('VACUUM INTO ?').run(unfinished);
    } finally {
      database.close();
    }
    renameSync(unfinished, output);
  } catch (error) {
    for (const left of [output, unfinished]) rmSync(left, { force: true });
    throw toAdapterError(error);
  }
}
