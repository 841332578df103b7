import { dirname as folderOf } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { HOUR_MS, SECOND_MS } from '../../base/clock.js';
import { ApiError } from '../../base/errors/api-error.js';
import type { Logger } from '../../base/logger.js';
import type { JobWork } from '../../job-runner/job-run.js';
import type { RunProgress } from '../../job-runner/run-progress.js';
import type { Database } from '../../store/db.js';
import {
  FILE_FOLDER,
  FILE_LEVELS,
  TEMPORARY_FOLDER,
  THUMBNAIL_FOLDER,
  THUMBNAIL_LEVELS,
  filePath,
  idsOf,
  mediaIdOfPath,
  thumbnailPath,
} from '../media/media-paths.js';
import type { ListOptions, MediaStorage, StoredFile } from '../media/storage/media-storage.js';

const BATCH = 500;
const FOUND_AT_ONCE = 8;
/** Somebody may still be writing the row of a younger file; clocks of storage and servers may differ by less. */
const GRACE_MS = HOUR_MS;
/** After each batch the walk pauses for three times as long as the batch took, so that it takes no more than a quarter. */
const PAUSE_FACTOR = 3;
const MAX_PAUSE_MS = SECOND_MS;
const MAX_EXAMPLES = 10;

interface CollectedFolder extends Pick<ListOptions, 'levels'> {
  countedAs: string;
  /** Paths of files of these media that have a row. */
  known: (mediaIds: string[]) => Promise<string[]>;
}

interface Parts {
  database: Database;
  storage: MediaStorage;
  logger: Logger;
}

interface Sweep extends Parts {
  nowTs: number;
  progress: RunProgress;
  onUnmanaged: (path: string) => void;
  pause: () => Promise<void>;
}

/**
 * Brings files and rows together again after a crash or a restored backup: files without rows go; rows without
 * files are marked, so that nobody is sent to them; lost thumbnails are forgotten and made again on demand, and those
 * of media whose removal ended half-way go. What is not ours is logged and stays.
 */
export function mediaGarbageCollection(parts: Parts): JobWork {
  const work = async (progress: RunProgress, nowTs: number): Promise<void> => {
    const examples: string[] = [];
    const onUnmanaged = (path: string): void => {
      progress.add('foreign_files');
      if (examples.length < MAX_EXAMPLES) examples.push(path);
    };
    const sweep = { ...parts, nowTs, progress, onUnmanaged, pause: pacing(progress) };
    progress.checkpoint();
    await collectFiles(sweep);
    if (examples.length > 0) {
      const line = { foreign_files: progress.counts['foreign_files'], examples };
      parts.logger.warn(line, 'files below media_store_path are not ours and are left alone');
    }
    await collectRows(sweep);
  };
  return { job: 'media_sweep', work };
}

/** Removes files that no row names. */
async function collectFiles(sweep: Sweep): Promise<void> {
  const { media, mediaThumbnail } = sweep.database.client;
  await collectFolder(sweep, TEMPORARY_FOLDER, {
    levels: [() => true],
    countedAs: 'temporary_files',
    known: async () => [],
  });
  await collectFolder(sweep, FILE_FOLDER, {
    levels: FILE_LEVELS,
    countedAs: 'files_without_row',
    known: async (mediaIds) => {
      const where = { mediaId: { in: mediaIds }, fileRemovedTs: null };
      const rows = await media.findMany({ where, select: { mediaId: true } });
      return rows.map(({ mediaId }) => filePath(mediaId));
    },
  });
  await collectFolder(sweep, THUMBNAIL_FOLDER, {
    levels: THUMBNAIL_LEVELS,
    countedAs: 'thumbnails_without_row',
    known: async (mediaIds) => {
      const where = { mediaId: { in: mediaIds }, media: { fileRemovedTs: null } };
      return (await mediaThumbnail.findMany({ where })).map((row) => thumbnailPath(row.mediaId, row));
    },
  });
}

async function collectFolder(
  sweep: Sweep,
  folder: string,
  { levels, countedAs, known }: CollectedFolder,
): Promise<void> {
  const { storage, progress, onUnmanaged, pause } = sweep;
  for await (const paths of storage.list(folder, { levels, onUnmanaged })) {
    const named = new Set(await known([...new Set(paths.map(mediaIdOfPath))]));
    for (const path of paths)
      if (!named.has(path) && (await removeOrphan(path, sweep))) progress.add(countedAs);
    await pause();
  }
}

/** Removes a file unless somebody may still be writing its row, and its folders that are empty then. */
async function removeOrphan(path: string, { storage, logger, nowTs, progress }: Sweep): Promise<boolean> {
  try {
    const file = await storage.find(path);
    if (file === null || nowTs - file.modifiedTs < GRACE_MS) return false;
    if (!(await storage.remove(path))) return false;
    progress.bytes += file.sizeBytes;
    for (let at = folderOf(path); at.includes('/'); at = folderOf(at)) await storage.removeIfEmpty(at);
    return true;
  } catch (error) {
    progress.keep(error);
    logger.debug({ err: error }, 'an orphaned file could not be removed');
    return false;
  }
}

/** Marks rows whose files are lost, and finds those again that are back, from a backup say. */
async function collectRows(sweep: Sweep): Promise<void> {
  const { database, storage, progress } = sweep;
  const { client } = database;
  for (let after = ''; ;) {
    const media = await client.media.findMany({
      where: { mediaId: { gt: after } },
      orderBy: { mediaId: 'asc' },
      take: BATCH,
      select: { mediaId: true, sizeBytes: true, fileRemovedTs: true, missingSinceTs: true },
    });
    const last = media.at(-1);
    if (last === undefined) return;
    after = last.mediaId;
    const kept = media.filter(({ fileRemovedTs }) => fileRemovedTs === null);
    const files = await findFiles(
      storage,
      kept.map(({ mediaId }) => filePath(mediaId)),
    );
    const isThere = ({ mediaId, sizeBytes }: { mediaId: string; sizeBytes: number }): boolean =>
      files.get(filePath(mediaId))?.sizeBytes === sizeBytes;
    const found = idsOf(kept.filter((row) => row.missingSinceTs !== null && isThere(row)));
    const where = { mediaId: { in: found }, missingSinceTs: { not: null } };
    if (found.length > 0) {
      const { count } = await client.media.updateMany({ where, data: { missingSinceTs: null } });
      progress.add('files_found_again', count);
    }
    await markLost(idsOf(kept.filter((row) => !isThere(row))), sweep);
    await forgetLostThumbnails(idsOf(media), sweep);
    progress.done += media.length;
    await sweep.pause();
  }
}

/** Previews created from lost media are forgotten, so that the next request makes them anew. */
async function markLost(
  lost: string[],
  { database, storage, logger, nowTs, progress }: Sweep,
): Promise<void> {
  if (lost.length === 0) return;
  if (!(await storage.hasFolder(FILE_FOLDER))) {
    const message =
      'There is no media below media_store_path although the database knows of some; is the disk mounted?';
    throw new ApiError(500, message, { reason: 'media_store_missing' });
  }
  const { client } = database;
  const [{ count }] = await client.$transaction([
    client.media.updateMany({
      where: { mediaId: { in: lost }, fileRemovedTs: null, missingSinceTs: null },
      data: { missingSinceTs: BigInt(nowTs) },
    }),
    client.previewCache.deleteMany({
      where: { OR: [{ mediaId: { in: lost } }, { imageMediaId: { in: lost } }] },
    }),
  ]);
  if (count === 0) return;
  progress.add('rows_without_file', count);
  logger.warn({ count: lost.length, media_ids: lost.slice(0, MAX_EXAMPLES) }, 'media files are missing');
}

/** What a crash left of a thumbnail goes with its row. */
async function forgetLostThumbnails(
  mediaIds: string[],
  { database, storage, logger, progress }: Sweep,
): Promise<void> {
  const { mediaThumbnail } = database.client;
  const thumbnails = await mediaThumbnail.findMany({ where: { mediaId: { in: mediaIds } } });
  const files = await findFiles(
    storage,
    thumbnails.map((row) => thumbnailPath(row.mediaId, row)),
  );
  for (const thumbnail of thumbnails) {
    const { mediaId, width, height, method } = thumbnail;
    const path = thumbnailPath(mediaId, thumbnail);
    const rest = files.get(path);
    if (rest?.sizeBytes === thumbnail.sizeBytes) continue;
    await mediaThumbnail.deleteMany({ where: { mediaId, width, height, method } });
    progress.add('thumbnails_without_file');
    try {
      if (rest !== undefined && (await storage.remove(path))) progress.bytes += rest.sizeBytes;
    } catch (error) {
      progress.keep(error);
      logger.debug({ err: error }, 'remains of a thumbnail could not be removed');
    }
  }
}

async function findFiles(storage: MediaStorage, paths: readonly string[]): Promise<Map<string, StoredFile>> {
  const found = new Map<string, StoredFile>();
  const findOne = async (path: string): Promise<void> => {
    const file = await storage.find(path);
    if (file !== null) found.set(path, file);
  };
  for (let start = 0; start < paths.length; start += FOUND_AT_ONCE)
    await Promise.all(paths.slice(start, start + FOUND_AT_ONCE).map(findOne));
  return found;
}

function pacing(progress: RunProgress): () => Promise<void> {
  let startedMs = performance.now();
  return async () => {
    progress.checkpoint();
    await sleep(Math.min(MAX_PAUSE_MS, PAUSE_FACTOR * (performance.now() - startedMs)));
    startedMs = performance.now();
  };
}
