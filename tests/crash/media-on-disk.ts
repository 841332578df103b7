import { readdir, stat, utimes } from 'node:fs/promises';
import { join, relative } from 'node:path';

import { openDatabase, type DatabaseOptions } from '../../src/core/store/db.js';
import { createLogger } from '../../src/core/base/logger.js';
import { errorCode } from '../../src/core/base/errors/api-error.js';
import type { TestDatabase } from '../support/store/databases.js';

/** How rows and files of media stand to each other. */
export interface MediaBalance {
  media: number;
  /** Media ids and thumbnails whose row is committed while the file is missing or of another size. */
  rowsWithoutFile: string[];
  /** Files below the folder that no row names, unfinished ones too. */
  filesWithoutRow: string[];
  /** Previews whose media has no row. */
  previewsWithoutMedia: string[];
}

/** Compares all rows with all files below the folder; they agree only while nobody writes. */
export async function balanceOf({ options }: TestDatabase, folder: string): Promise<MediaBalance> {
  return balanceWith(options, await filesBelow(folder));
}

/** Compares all rows with files wherever they are: their sizes by path. */
export async function balanceWith(
  options: DatabaseOptions,
  files: ReadonlyMap<string, number>,
): Promise<MediaBalance> {
  const database = await openDatabase(options, createLogger({ level: 'silent' }));
  try {
    const media = await database.client.media.findMany({ where: { fileRemovedTs: null } });
    const thumbnails = await database.client.mediaThumbnail.findMany();
    const previews = await database.client.previewCache.findMany();
    const expected = new Map([
      ...media.map((row) => [join('url_cache', ...row.mediaId.split('_')), row.sizeBytes] as const),
      ...thumbnails.map((row) => {
        const { width, height, method, contentType } = row;
        const name = `${width}-${height}-${contentType.replace('/', '-')}-${method}`;
        return [join('url_cache_thumbnails', ...row.mediaId.split('_'), name), row.sizeBytes] as const;
      }),
    ]);
    const known = new Set(media.map(({ mediaId }) => mediaId));
    return {
      media: media.length,
      rowsWithoutFile: [...expected].filter(([path, size]) => files.get(path) !== size).map(([path]) => path),
      filesWithoutRow: [...files.keys()].filter((path) => !expected.has(path)),
      previewsWithoutMedia: previews.map(({ mediaId }) => mediaId).filter((id) => !known.has(id)),
    };
  } finally {
    await database.close();
  }
}

/** Does `work` while nobody can add a row of media. */
export async function withoutNewMedia(
  { options }: TestDatabase,
  work: () => Promise<unknown>,
): Promise<void> {
  const database = await openDatabase(options, createLogger({ level: 'silent' }));
  try {
    await database.client.$transaction(async (tx) => {
      // On SQLite a transaction is the only one that writes.
      if (options.engine === 'postgresql') await tx.$executeRaw`LOCK TABLE media IN SHARE MODE`;
      await work();
    });
  } finally {
    await database.close();
  }
}

/** Makes the files below the folder as old, and the leases of dead processes as spent, as they will be later. */
export async function makeOlder({ options }: TestDatabase, folder: string, ageMs: number): Promise<void> {
  const database = await openDatabase(options, createLogger({ level: 'silent' }));
  await database.client.job.updateMany({ data: { leaseTs: 0n } });
  await database.close();
  const seconds = (Date.now() - ageMs) / 1000;
  for (const path of (await filesBelow(folder)).keys()) await utimes(join(folder, path), seconds, seconds);
}

/** Sizes by path; of files that go meanwhile there is none. */
async function filesBelow(folder: string): Promise<Map<string, number>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const sized = files.map(async (path) => {
    const found = await stat(path).catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return null;
      throw error;
    });
    return found === null ? [] : [[relative(folder, path), found.size] as const];
  });
  return new Map((await Promise.all(sized)).flat());
}
