import { closeSync, existsSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';

import { makeFolders } from '../../base/make-folders.js';
import { toAdapterError } from './sqlite-errors.js';

/** Values SQLite can hold. */
export type SqliteValue = null | bigint | number | string | Uint8Array;

export type DriverDatabase = ReturnType<typeof openDriver>;
export type DriverStatement = ReturnType<DriverDatabase['prepare']>;

/** Opens a connection. The driver is loaded only when SQLite is the chosen engine. */
export function openDriver(path: string, busyTimeoutMs: number) {
  const module: typeof import('@photostructure/sqlite') = createRequire(import.meta.url)(
    '@photostructure/sqlite',
  );
  return new module.DatabaseSync(path, { timeout: busyTimeoutMs });
}

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
