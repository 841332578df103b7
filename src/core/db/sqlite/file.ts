import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

/** Makes the folder (0700) and the empty file (0600) unless they exist. SQLite gives its side files the same mode. */
export function prepareSqliteFile(path: string): void {
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
}

/** Takes group and others every right on a copy made by SQLite itself. */
export function makePrivate(path: string): void {
  chmodSync(path, 0o600);
}
