import { basename, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { HOUR_MS, SECOND_MS } from '../../base/clock.js';
import { ApiError } from '../../base/errors/api-error.js';
import type { Logger } from '../../base/logger.js';
import type { JobRunner } from '../../job-runner/job-runner.js';
import { JobRuns } from '../../job-runner/job-runs.js';
import type { RunProgress } from '../../job-runner/run-progress.js';
import type { MediaFiles } from '../media/media-files.js';
import type { ListedMedia, MediaListing } from '../media/media-listing.js';
import { thumbnailName } from '../media/media-paths.js';
import type { GarbageCollectionStore, StoredThumbnail } from './garbage-collection-store.js';

/** What the garbage collection is built from. */
export interface MediaGarbageCollectorOptions {
  store: GarbageCollectionStore;
  files: MediaFiles;
  listing: MediaListing;
  runner: JobRunner;
  logger: Logger;
}

/** Rows are compared with files in batches of this size. */
const COLLECTION_BATCH = 500;
/** Another process may still be writing the row of a younger file; clocks of storage and servers may differ by less. */
const GRACE_MS = HOUR_MS;
/** After each batch the walk pauses for three times as long as the batch took, so that it takes no more than a quarter. */
const PAUSE_FACTOR = 3;
const MAX_PAUSE_MS = SECOND_MS;
const MAX_EXAMPLES = 10;

/** One comparison of everything. */
interface CollectionRun {
  nowTs: number;
  progress: RunProgress;
  /** What is not ours, with which nothing is done. */
  foreign: { count: number; examples: string[] };
  noteForeign: (path: string) => void;
  /** Ends a batch. */
  pause: () => Promise<void>;
}

/**
 * Brings files and rows together again after a crash or a restored backup: files without rows go; rows without
 * files are marked, so that nobody is sent to them; lost thumbnails are forgotten and made again on demand, and those
 * of media whose removal ended half-way go. What is not ours is told and stays.
 */
export class MediaGarbageCollector {
  /** Each compares everything once, in batches. */
  readonly runs: JobRuns;

  constructor(private readonly options: MediaGarbageCollectorOptions) {
    this.runs = new JobRuns(
      options.runner,
      'media_sweep',
      (nowTs) =>
        ({ progress }) =>
          this.#run(nowTs, progress),
    );
  }

  async #run(nowTs: number, progress: RunProgress): Promise<void> {
    await progress.checkpoint();
    // Files are looked at first, then the rows: about as many of each.
    progress.total = 2 * (await this.options.store.countMedia());
    const foreign: CollectionRun['foreign'] = { count: 0, examples: [] };
    const noteForeign = (path: string): void => {
      foreign.count += 1;
      if (foreign.count <= MAX_EXAMPLES) foreign.examples.push(relative(this.options.files.path(), path));
    };
    const run = { nowTs, progress, foreign, noteForeign, pause: pacing(progress) };
    await this.#collectTemporary(run);
    await this.#collectFiles(run);
    await this.#collectThumbnails(run);
    await this.#removeEmptyDays(run);
    this.#reportForeign(run);
    await this.#collectRows(run);
  }

  async #collectTemporary(run: CollectionRun): Promise<void> {
    const { files, listing } = this.options;
    for await (const paths of listing.temporaryFiles(run.noteForeign))
      for (const path of paths)
        if (!files.isInFlight(basename(path)) && (await this.#removeOrphan(path, run)))
          run.progress.add('temporary_files');
  }

  async #collectFiles(run: CollectionRun): Promise<void> {
    const { files, listing, store } = this.options;
    for await (const found of listing.mediaFiles(run.noteForeign)) {
      // What is being written is asked first, for its row comes later.
      const candidates = found.filter(({ mediaId }) => !files.isInFlight(mediaId));
      const rows = await store.findRows(mediaIdsOf(candidates));
      for (const { mediaId, path } of candidates) {
        if (rows.get(mediaId) === true || !(await this.#removeOrphan(path, run))) continue;
        run.progress.add('files_without_row');
        await files.removeEmptyFolders(mediaId);
      }
      run.progress.done += found.length;
      await run.pause();
    }
  }

  async #collectThumbnails(run: CollectionRun): Promise<void> {
    const { files, listing, store } = this.options;
    const emptied = new Set<string>();
    const removeEmptied = async (): Promise<void> => {
      for (const mediaId of emptied)
        if (!files.isInFlight(mediaId)) await files.removeEmptyThumbnailFolder(mediaId);
      emptied.clear();
    };
    const listed = listing.thumbnails(run.noteForeign, (mediaId) => emptied.add(mediaId));
    for await (const found of listed) {
      const candidates = found.filter(({ mediaId }) => !files.isInFlight(mediaId));
      const known = namesByMedia(await store.findThumbnails(mediaIdsOf(candidates)));
      for (const { mediaId, path } of candidates) {
        if (known.get(mediaId)?.has(basename(path)) === true) continue;
        if (await this.#removeOrphan(path, run)) run.progress.add('thumbnails_without_row');
        if (!known.has(mediaId)) emptied.add(mediaId);
      }
      await removeEmptied();
      await run.pause();
    }
    await removeEmptied();
  }

  async #removeEmptyDays({ progress }: CollectionRun): Promise<void> {
    const { files, listing, logger } = this.options;
    for (const path of await listing.dayFolders()) {
      try {
        if (await files.removeFolderIfEmpty(path)) progress.add('empty_folders');
      } catch (error) {
        logger.debug({ err: error }, 'an empty folder could not be removed');
      }
    }
  }

  /** Counts what is not ours, and warns of it once, with a few examples. */
  #reportForeign({ foreign, progress }: CollectionRun): void {
    const { count, examples } = foreign;
    if (count === 0) return;
    progress.add('foreign_files', count);
    const message = 'files below media_store_path are not ours and are left alone';
    this.options.logger.warn({ foreign_files: count, examples }, message);
  }

  async #collectRows(run: CollectionRun): Promise<void> {
    const { store, files } = this.options;
    const { progress } = run;
    for (let after = ''; ;) {
      const media = await store.listMedia(after, COLLECTION_BATCH);
      const last = media.at(-1);
      if (last === undefined) return;
      after = last.mediaId;
      const kept = media.filter(({ isRemoved }) => !isRemoved);
      const stored = await files.findMany(kept.map(({ mediaId }) => files.filePath(mediaId)));
      const isThere = ({ mediaId, sizeBytes }: { mediaId: string; sizeBytes: number }): boolean =>
        stored.get(files.filePath(mediaId))?.sizeBytes === sizeBytes;
      const found = kept.filter((row) => row.isMissing && isThere(row));
      if (found.length > 0) progress.add('files_found_again', await store.markFound(mediaIdsOf(found)));
      await this.#markLost(mediaIdsOf(kept.filter((row) => !isThere(row))), run);
      await this.#forgetLostThumbnails(mediaIdsOf(media), progress);
      progress.done += media.length;
      await run.pause();
    }
  }

  async #markLost(lost: readonly string[], { nowTs, progress }: CollectionRun): Promise<void> {
    const { store, listing, logger } = this.options;
    if (lost.length === 0) return;
    if (!(await listing.hasFiles())) {
      const message =
        'There is no media below media_store_path although the database knows of some; is the disk mounted?';
      throw new ApiError(500, message, { reason: 'media_store_missing' });
    }
    const marked = await store.markLost(lost, nowTs);
    if (marked === 0) return;
    progress.add('rows_without_file', marked);
    logger.warn({ count: lost.length, media_ids: lost.slice(0, 10) }, 'files of media are lost');
  }

  /** What a crash left of a thumbnail goes with its row. */
  async #forgetLostThumbnails(mediaIds: readonly string[], progress: RunProgress): Promise<void> {
    const { store, files, logger } = this.options;
    const thumbnails = await store.findThumbnails(mediaIds.filter((mediaId) => !files.isInFlight(mediaId)));
    const pathOf = (thumbnail: StoredThumbnail): string => files.thumbnailPath(thumbnail.mediaId, thumbnail);
    const stored = await files.findMany(thumbnails.map(pathOf));
    const lost = thumbnails.filter(
      (thumbnail) => stored.get(pathOf(thumbnail))?.sizeBytes !== thumbnail.sizeBytes,
    );
    if (lost.length === 0) return;
    await store.deleteThumbnails(lost);
    progress.add('thumbnails_without_file', lost.length);
    for (const thumbnail of lost) {
      const rest = stored.get(pathOf(thumbnail));
      if (rest === undefined || files.isInFlight(thumbnail.mediaId)) continue;
      try {
        if ((await files.removePath(pathOf(thumbnail))) === 'removed') progress.bytes += rest.sizeBytes;
      } catch (error) {
        progress.keep(error);
        logger.debug({ err: error }, 'the rest of a thumbnail could not be removed');
      }
    }
  }

  /** Removes a file that no row names, unless somebody may still be writing the row. */
  async #removeOrphan(path: string, { nowTs, progress }: CollectionRun): Promise<boolean> {
    const { files, logger } = this.options;
    try {
      const file = await files.find(path);
      if (file === null || nowTs - file.modifiedTs < GRACE_MS) return false;
      if ((await files.removePath(path)) === 'gone') return false;
      progress.bytes += file.sizeBytes;
      return true;
    } catch (error) {
      progress.keep(error);
      logger.debug({ err: error }, 'an orphaned file could not be removed');
      return false;
    }
  }
}

function pacing(progress: RunProgress): () => Promise<void> {
  let startedMs = performance.now();
  return async () => {
    await progress.checkpoint();
    await sleep(Math.min(MAX_PAUSE_MS, PAUSE_FACTOR * (performance.now() - startedMs)));
    startedMs = performance.now();
  };
}

/** Names of thumbnails by their media; none of media whose removal has begun. */
function namesByMedia(thumbnails: readonly StoredThumbnail[]): Map<string, Set<string>> {
  const names = new Map<string, Set<string>>();
  for (const thumbnail of thumbnails) {
    if (thumbnail.isRemoved) continue;
    const known = names.get(thumbnail.mediaId) ?? new Set();
    names.set(thumbnail.mediaId, known.add(thumbnailName(thumbnail)));
  }
  return names;
}

/** Each once. */
function mediaIdsOf(found: readonly Pick<ListedMedia, 'mediaId'>[]): string[] {
  return [...new Set(found.map(({ mediaId }) => mediaId))];
}
