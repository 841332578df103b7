import { closeSync, existsSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';

import { valueAt } from '../../base/json/is-record.js';
import { makeFolders } from '../../base/make-folders.js';
import { toAdapterError } from './sqlite-errors.js';

/** Values SQLite can hold, as the driver takes and gives them. */
export type SqliteValue = null | bigint | number | string | Uint8Array;

/** Result column; `type` is the type in the table's definition, null for an expression. */
export interface SqliteColumn {
  readonly name: string;
  readonly type: string | null;
}

/** The part of a prepared statement that is used here; the same in both drivers. */
export interface DriverStatement {
  all(...values: SqliteValue[]): SqliteValue[][];
  run(...values: SqliteValue[]): { changes: number | bigint };
  columns(): SqliteColumn[];
  setReturnArrays(on: boolean): void;
  setReadBigInts(on: boolean): void;
}

/** The part of a database connection that is used here; the same in both drivers. */
export interface DriverDatabase {
  readonly isTransaction: boolean;
  exec(sql: string): void;
  prepare(sql: string): DriverStatement;
  close(): void;
}

/** Opens a connection; `timeout` is the busy time-out in milliseconds. */
export type DriverConstructor = new (path: string, options: { timeout: number }) => DriverDatabase;

/**
 * Node's own `node:sqlite` where it has all that is needed (from 22.16), else the package with the
 * same interface and a prebuilt binary. Loaded only when SQLite is the chosen engine.
 */
export function loadSqliteDriver(): DriverConstructor {
  const builtin = builtinSqlite();
  if (builtin !== undefined && isComplete(builtin)) return builtin.DatabaseSync;
  const module: typeof import('@photostructure/sqlite') = createRequire(import.meta.url)(
    '@photostructure/sqlite',
  );
  return module.DatabaseSync;
}

/** Undefined where this Node has none. Says nothing: Node 22 calls it experimental on standard error at each start. */
function builtinSqlite(): object | undefined {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}

function isComplete(module: object): module is { DatabaseSync: DriverConstructor } {
  const has = (name: string, member: string): boolean => {
    const prototype = valueAt(module, [name, 'prototype']);
    return typeof prototype === 'object' && prototype !== null && member in prototype;
  };
  return has('DatabaseSync', 'isTransaction') && has('StatementSync', 'setReturnArrays');
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
