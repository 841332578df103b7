import { closeSync, existsSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';

import { makeFolders } from '../../base/make-folders.js';
import { toAdapterError } from './sqlite-errors.js';

/** Values SQLite can hold. */
export type SqliteValue = null | bigint | number | string | Uint8Array;

/** The part of a prepared statement that is used here. `type` is that of the table's definition, null for an expression. */
export interface DriverStatement {
  all(...values: SqliteValue[]): SqliteValue[][];
  run(...values: SqliteValue[]): { changes: number | bigint };
  columns(): { readonly name: string; readonly type: string | null }[];
  setReturnArrays(on: boolean): void;
  setReadBigInts(on: boolean): void;
}

/** The part of a database connection that is used here. */
export interface DriverDatabase {
  readonly isTransaction: boolean;
  exec(sql: string): void;
  prepare(sql: string): DriverStatement;
  close(): void;
}

/** Opens a connection. The driver is loaded only when SQLite is the chosen engine. */
export function openDriver(path: string, busyTimeoutMs: number): DriverDatabase {
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
