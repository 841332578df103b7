import { readFileSync, readdirSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { gzipSync } from 'node:zlib';

import { errorCode } from '../../core/base/errors/api-error.js';

/** A file of the built UI. */
export interface UiFile {
  body: Buffer;
  contentType: string;
  /** The same, smaller; `null` where that does not pay. */
  gzip: Buffer | null;
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
  ['.ico', 'image/x-icon'],
  ['.woff2', 'font/woff2'],
  ['.txt', 'text/plain; charset=utf-8'],
]);
const COMPRESSIBLE = new Set(['.js', '.css', '.svg', '.txt']);
const MIN_GZIP_BYTES = 1024;
const PAGE = 'index.html';

/**
 * The built UI, read into memory when first asked for. What is asked for is looked up by name among the files that
 * are there, so no request can name a path of the disk.
 */
export class UiFiles {
  #files: ReadonlyMap<string, UiFile> | null = null;
  #page: string | null = null;

  constructor(private readonly folder: string) {}

  /** The page with its placeholders; `null` while the UI is not built. */
  page(): string | null {
    this.#load();
    return this.#page;
  }

  /** A file by its path below the folder, such as `assets/index-1a2b.js`; `null` when there is none. */
  find(path: string): UiFile | null {
    this.#load();
    return this.#files?.get(path) ?? null;
  }

  #load(): void {
    if (this.#files !== null) return;
    const paths = listFiles(this.folder);
    if (!paths.includes(PAGE)) return;
    this.#page = readFileSync(join(this.folder, PAGE), 'utf8');
    const served = paths.filter((path) => TYPES.has(extname(path)));
    this.#files = new Map(served.map((path) => [path, readFile(join(this.folder, path))]));
  }
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

function readFile(path: string): UiFile {
  const body = readFileSync(path);
  const extension = extname(path);
  const pays = COMPRESSIBLE.has(extension) && body.length >= MIN_GZIP_BYTES;
  const contentType = TYPES.get(extension) ?? 'application/octet-stream';
  return { body, contentType, gzip: pays ? gzipSync(body) : null };
}
