import { DAY_MS } from '../../base/clock.js';
import type { JobCause } from '../../job-runner/job-run.js';
import type { JobRunner } from '../../job-runner/job-runner.js';
import { JobRuns } from '../../job-runner/job-runs.js';
import { RunSkipped, type RunProgress } from '../../job-runner/run-progress.js';
import type { Logger } from '../../base/logger.js';
import type { MediaFiles } from '../media/media-files.js';
import type { ClockWatch } from './clock-watch.js';
import type { CleanupMedia, ExpiredPreview, ExpiredStore, RowTarget } from './expired-store.js';
import { removeMediaFiles } from './remove-media-files.js';

/** What the cleanup is built from. */
export interface PreviewCleanupOptions {
  expired: ExpiredStore;
  files: MediaFiles;
  runner: JobRunner;
  clockWatch: ClockWatch;
  /** Whether no other instance cleans up the same store. */
  isAlone: boolean;
  /** Forgets what previews say in the memory of all instances. */
  forgetMemory(): Promise<unknown>;
  /** False while database migrations are incomplete; then nothing is removed (SPEC §4.8). */
  isReady(): boolean;
  /** Setting previews.media_retention. */
  mediaRetentionMs: number;
  /** Setting previews.blacklist_hit_retention. */
  hitRetentionMs: number;
  logger: Logger;
}

/** SPEC §4.8; rows are read, and the lease renewed, in batches of this size. */
const BATCH = 500;
const RUN_RETENTION_MS = 7 * DAY_MS;

/**
 * Background cleanup of the preview cache (SPEC §4.8): expired entries with their stored pages, then media of
 * previews past its retention with its thumbnails, oldest first. The row is marked, the files go, the row goes:
 * after a crash at any point the next run continues.
 */
export class PreviewCleanup {
  /** Each removes everything whose time is up. */
  readonly runs: JobRuns;

  constructor(private readonly options: PreviewCleanupOptions) {
    this.runs = new JobRuns(
      options.runner,
      'preview_cleanup',
      (nowTs, cause) =>
        ({ progress }) =>
          this.#run(nowTs, cause, progress),
    );
  }

  async #run(nowTs: number, cause: JobCause, progress: RunProgress): Promise<void> {
    const { expired, clockWatch, logger, mediaRetentionMs, isAlone } = this.options;
    if (!this.options.isReady()) throw new RunSkipped('migrations_incomplete');
    const jumpMs = clockWatch.jumpMs(nowTs);
    // By a wrong time media was deleted that memory still names.
    if (jumpMs !== 0) await this.options.forgetMemory();
    if (jumpMs !== 0 && cause === 'job') {
      logger.warn(
        { jump_ms: jumpMs },
        'the clock was set by more than an hour; cleanup waits for the next run',
      );
      throw new RunSkipped('clock_jumped');
    }
    // Alone, what finds nothing to do writes nothing.
    if (!isAlone) await progress.checkpoint();
    const mediaBeforeTs = nowTs - mediaRetentionMs;
    if (await expired.hasExpired(nowTs, mediaBeforeTs)) {
      await progress.checkpoint();
      progress.total = await expired.countExpired(nowTs, mediaBeforeTs);
      await this.#cleanPreviews(nowTs, progress);
      await this.#cleanMedia({ nowTs, mediaBeforeTs }, progress);
    }
    const before = { hitsTs: nowTs - this.options.hitRetentionMs, runsTs: nowTs - RUN_RETENTION_MS };
    progress.add('blacklist_hits', await expired.prune(before, BATCH));
  }

  async #cleanPreviews(nowTs: number, progress: RunProgress): Promise<void> {
    const { expired } = this.options;
    let cursor: RowTarget | null = null;
    for (;;) {
      const previews: ExpiredPreview[] = await expired.listPreviews(nowTs, cursor, BATCH);
      const last = previews.at(-1);
      if (last === undefined) return;
      cursor = { ts: last.expiresTs, id: String(last.id) };
      const kept = await this.#removePages(previews, nowTs, progress);
      const ids = previews.filter(({ mediaId }) => !kept.has(mediaId)).map(({ id }) => id);
      progress.add('previews', await expired.deletePreviews(ids));
      progress.done += previews.length;
      await progress.checkpoint();
    }
  }

  /** Removes the stored pages of expired previews; resolves to the media whose file would not go. */
  async #removePages(
    previews: readonly ExpiredPreview[],
    nowTs: number,
    progress: RunProgress,
  ): Promise<ReadonlySet<string>> {
    const media = await this.options.expired.findMedia(previews.map(({ mediaId }) => mediaId));
    // The original of an image stays as long as its row: clients still load it.
    const pages = media.filter((item) => !isImage(item));
    return this.#removeFiles(pages, { nowTs, thumbnails: false }, progress);
  }

  async #cleanMedia(
    { nowTs, mediaBeforeTs }: { nowTs: number; mediaBeforeTs: number },
    progress: RunProgress,
  ): Promise<void> {
    const { expired } = this.options;
    let cursor: RowTarget | null = null;
    for (;;) {
      const media: CleanupMedia[] = await expired.listMedia(mediaBeforeTs, cursor, BATCH);
      const last = media.at(-1);
      if (last === undefined) return;
      cursor = { ts: last.createdTs, id: last.mediaId };
      const kept = await this.#removeFiles(media, { nowTs, thumbnails: true }, progress);
      const ids = media.map(({ mediaId }) => mediaId).filter((mediaId) => !kept.has(mediaId));
      progress.add('media', await expired.deleteMedia(ids));
      progress.done += media.length;
      await progress.checkpoint();
    }
  }

  async #removeFiles(
    media: readonly CleanupMedia[],
    { nowTs, thumbnails }: { nowTs: number; thumbnails: boolean },
    progress: RunProgress,
  ): Promise<ReadonlySet<string>> {
    const { expired, files, logger } = this.options;
    await expired.markRemoved(
      media.filter(({ fileRemovedTs }) => fileRemovedTs === null).map(({ mediaId }) => mediaId),
      nowTs,
    );
    return removeMediaFiles(media, { files, thumbnails, progress, logger });
  }
}

function isImage({ sniffedType, contentType }: CleanupMedia): boolean {
  return sniffedType !== null || /^image\//i.test(contentType);
}
