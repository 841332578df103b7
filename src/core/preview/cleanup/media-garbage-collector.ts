import { basename } from 'node:path';

import { DAY_MS, MINUTE_MS } from '../../base/clock.js';
import { ApiError } from '../../base/errors/api-error.js';
import type { JobRunner } from '../../job-runner/job-runner.js';
import { JobRuns } from '../../job-runner/job-runs.js';
import type { RunProgress } from '../../job-runner/run-progress.js';
import type { Logger } from '../../base/logger.js';
import type { MediaFiles } from '../media/media-files.js';
import type { ListedMedia, MediaListing } from '../media/media-listing.js';
import { thumbnailName } from '../media/media-paths.js';
import type { StoredFile } from '../media/storage/media-storage.js';
import { UnmanagedFiles } from './unmanaged-files.js';
import type { GarbageCollectionStore, StoredThumbnail } from './garbage-collection-store.js';

/** What the garbage collection is built from. */
export interface MediaGarbageCollectorOptions {
  store: GarbageCollectionStore;
  files: MediaFiles;
  listing: MediaListing;
  runner: JobRunner;
  /** Whether no other process writes below media_store_path; then even recent orphans are left-overs. */
  isOnlyWriter: boolean;
  /** What time it is where the files lie, POSIX ms: the clock that dates them. */
  storageNow(): Promise<number>;
  logger: Logger;
}

/** Rows are compared with files in batches of this size. */
const COLLECTION_BATCH = 500;
/** Another process may still be writing the row of a file younger than this, by the clock of the storage. */
const GRACE_MS = 15 * MINUTE_MS;

interface CollectionRun {
  nowTs: number;
  progress: RunProgress;
  unmanaged: UnmanagedFiles;
  /** How old a file is, ms. */
  ageMs(file: StoredFile): Promise<number>;
  /** When the last of the orphans that were too recent is old enough, POSIX ms; `null` when there were none. */
  eligibleTs: number | null;
}

/**
 * Brings files and rows together again after a crash or a restored backup: files without rows go; rows without
 * files are marked, so that nobody is sent to them; lost thumbnails are forgotten and made again on demand, and those
 * of media whose removal ended half-way go. What is not ours is told and stays.
 */
export class MediaGarbageCollector {
  /** Each compares everything once, in batches. */
  readonly runs: JobRuns;
  #eligibleTs: number | null = null;

  constructor(private readonly options: MediaGarbageCollectorOptions) {
    this.runs = new JobRuns(
      options.runner,
      'media_sweep',
      (nowTs) =>
        ({ progress }) =>
          this.#run(nowTs, progress),
    );
  }

  /** When orphans that the last run left alone as too recent may go, POSIX ms; `null` when it left none. */
  get eligibleTs(): number | null {
    return this.#eligibleTs;
  }

  async #run(nowTs: number, progress: RunProgress): Promise<void> {
    await progress.checkpoint();
    // Files are looked at first, then the rows: about as many of each.
    progress.total = 2 * (await this.options.store.countMedia());
    const unmanaged = new UnmanagedFiles(this.options.files.path());
    const run: CollectionRun = { nowTs, progress, unmanaged, ageMs: this.#ages(nowTs), eligibleTs: null };
    this.#eligibleTs = null;
    await this.#collectTemporary(run);
    await this.#collectFiles(run);
    await this.#collectThumbnails(run);
    await this.#removeEmptyDays(progress);
    this.#eligibleTs = run.eligibleTs;
    unmanaged.report(progress, this.options.logger);
    await this.#collectRows(nowTs, progress);
  }

  async #collectTemporary(run: CollectionRun): Promise<void> {
    const { files, listing } = this.options;
    for await (const paths of listing.temporaryFiles(run.unmanaged.note)) {
      for (const path of paths) {
        if (files.isInFlight(basename(path))) continue;
        if (await this.#removeOrphan(path, run)) run.progress.add('temporary_files');
      }
    }
  }

  async #collectFiles(run: CollectionRun): Promise<void> {
    const { files, listing } = this.options;
    const { progress, unmanaged } = run;
    for await (const found of listing.mediaFiles(unmanaged.note)) {
      for (const { mediaId, path } of await this.#orphans(found)) {
        if (!(await this.#removeOrphan(path, run))) continue;
        progress.add('files_without_row');
        await files.removeEmptyFolders(mediaId);
      }
      progress.done += found.length;
      await progress.checkpoint();
    }
  }

  async #collectThumbnails(run: CollectionRun): Promise<void> {
    const { files, listing } = this.options;
    const { progress, unmanaged } = run;
    const emptied = new Set<string>();
    const note = (mediaId: string): void => void emptied.add(mediaId);
    for await (const listed of listing.thumbnails(unmanaged.note, note)) {
      const found = listed.filter(({ mediaId }) => !files.isInFlight(mediaId));
      const rows = byMedia(await this.options.store.findThumbnails(mediaIdsOf(found)));
      for (const { mediaId, path } of found) {
        const known = rows.get(mediaId);
        if (known?.has(basename(path)) === true) continue;
        if (await this.#removeOrphan(path, run)) progress.add('thumbnails_without_row');
        if (known === undefined) note(mediaId);
      }
      await this.#removeEmptyFolders(emptied);
      await progress.checkpoint();
    }
    await this.#removeEmptyFolders(emptied);
  }

  async #removeEmptyFolders(emptied: Set<string>): Promise<void> {
    const { files } = this.options;
    for (const mediaId of emptied) {
      if (!files.isInFlight(mediaId)) await files.removeEmptyThumbnailFolder(mediaId);
    }
    emptied.clear();
  }

  async #removeEmptyDays(progress: RunProgress): Promise<void> {
    const { files, listing, logger } = this.options;
    for (const path of await listing.dayFolders()) {
      try {
        if (await files.removeFolderIfEmpty(path)) progress.add('empty_folders');
      } catch (error) {
        logger.debug({ err: error }, 'an empty folder could not be removed');
      }
    }
  }

  async #collectRows(nowTs: number, progress: RunProgress): Promise<void> {
    const { store, files, listing } = this.options;
    for (let after = ''; ;) {
      const media = await store.listMedia(after, COLLECTION_BATCH);
      const last = media.at(-1);
      if (last === undefined) return;
      after = last.mediaId;
      const lost: string[] = [];
      const found: string[] = [];
      const stored = await files.findMany(media.map(({ mediaId }) => files.filePath(mediaId)));
      for (const { mediaId, sizeBytes, isRemoved, isMissing } of media) {
        if (isRemoved) continue;
        if (stored.get(files.filePath(mediaId))?.sizeBytes !== sizeBytes) lost.push(mediaId);
        else if (isMissing) found.push(mediaId);
      }
      if (found.length > 0) progress.add('files_found_again', await store.markFound(found));
      if (lost.length > 0)
        await this.#markLost(lost, { nowTs, isMounted: await listing.hasFiles() }, progress);
      await this.#forgetLostThumbnails(
        media.map(({ mediaId }) => mediaId),
        progress,
      );
      progress.done += media.length;
      await progress.checkpoint();
    }
  }

  async #markLost(
    lost: readonly string[],
    { nowTs, isMounted }: { nowTs: number; isMounted: boolean },
    progress: RunProgress,
  ): Promise<void> {
    if (!isMounted) {
      const message =
        'There is no media below media_store_path although the database knows of some; is the disk mounted?';
      throw new ApiError(500, message, { reason: 'media_store_missing' });
    }
    const marked = await this.options.store.markLost(lost, nowTs);
    if (marked === 0) return;
    progress.add('rows_without_file', marked);
    this.options.logger.warn({ count: lost.length, media_ids: lost.slice(0, 10) }, 'files of media are lost');
  }

  async #forgetLostThumbnails(mediaIds: readonly string[], progress: RunProgress): Promise<void> {
    const { store, files } = this.options;
    const settled = mediaIds.filter((mediaId) => !files.isInFlight(mediaId));
    const thumbnails = await store.findThumbnails(settled);
    const stored = await files.findMany(thumbnails.map((thumbnail) => this.#pathOf(thumbnail)));
    const lost = thumbnails.filter(
      (thumbnail) => stored.get(this.#pathOf(thumbnail))?.sizeBytes !== thumbnail.sizeBytes,
    );
    if (lost.length === 0) return;
    await store.deleteThumbnails(lost);
    progress.add('thumbnails_without_file', lost.length);
    for (const thumbnail of lost) await this.#removeRest(thumbnail, progress);
  }

  /** What a crash left of a thumbnail goes with its row, unless it has been made again meanwhile. */
  async #removeRest(thumbnail: StoredThumbnail, progress: RunProgress): Promise<void> {
    const { files, logger } = this.options;
    if (files.isInFlight(thumbnail.mediaId)) return;
    try {
      const file = await files.find(this.#pathOf(thumbnail));
      if (file === null || file.sizeBytes === thumbnail.sizeBytes) return;
      if ((await files.removePath(this.#pathOf(thumbnail))) === 'removed') progress.bytes += file.sizeBytes;
    } catch (error) {
      progress.keep(error);
      logger.debug({ err: error }, 'the rest of a thumbnail could not be removed');
    }
  }

  #pathOf(thumbnail: StoredThumbnail): string {
    return this.options.files.thumbnailPath(thumbnail.mediaId, thumbnail);
  }

  /** Of the files found those that no row wants. What is being written is asked first, for its row comes later. */
  async #orphans(found: readonly ListedMedia[]): Promise<ListedMedia[]> {
    const candidates = found.filter(({ mediaId }) => !this.options.files.isInFlight(mediaId));
    const rows = await this.options.store.findRows(candidates.map(({ mediaId }) => mediaId));
    return candidates.filter(({ mediaId }) => rows.get(mediaId) !== true);
  }

  /** Whether nobody can be writing the row of an orphan any more. */
  async #isLeftOver(file: StoredFile, run: CollectionRun): Promise<boolean> {
    if (this.options.isOnlyWriter) return true;
    const ageMs = await run.ageMs(file);
    if (ageMs >= GRACE_MS) return true;
    // What is dated ahead would bring run after run; it waits for the ordinary one.
    if (ageMs >= 0) run.eligibleTs = Math.max(run.eligibleTs ?? 0, run.nowTs + GRACE_MS - ageMs);
    return false;
  }

  /**
   * The storage is asked for its time once, when the first orphan is found. Of a full one, which cannot say it, the time
   * is at least that of a day ago: room is made there, too.
   */
  #ages(ourNowTs: number): CollectionRun['ageMs'] {
    let nowTs: Promise<number> | null = null;
    return async ({ modifiedTs }) => {
      nowTs ??= this.options.storageNow().catch(() => ourNowTs - DAY_MS);
      return (await nowTs) - modifiedTs;
    };
  }

  async #removeOrphan(path: string, run: CollectionRun): Promise<boolean> {
    const { files, logger } = this.options;
    const { progress } = run;
    try {
      const file = await files.find(path);
      if (file === null) return false;
      if (!(await this.#isLeftOver(file, run))) return false;
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

/** Names of thumbnails by their media; none of media whose removal has begun. */
function byMedia(thumbnails: readonly StoredThumbnail[]): Map<string, Set<string>> {
  const names = new Map<string, Set<string>>();
  for (const thumbnail of thumbnails) {
    if (thumbnail.isRemoved) continue;
    const known = names.get(thumbnail.mediaId) ?? new Set();
    names.set(thumbnail.mediaId, known.add(thumbnailName(thumbnail)));
  }
  return names;
}

/** Each once. */
function mediaIdsOf(found: readonly ListedMedia[]): string[] {
  return [...new Set(found.map(({ mediaId }) => mediaId))];
}
