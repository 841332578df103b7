import { DAY_MS } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';
import type { JobCause } from '../../job-runner/job-run.js';
import type { JobRunner } from '../../job-runner/job-runner.js';
import { JobRuns } from '../../job-runner/job-runs.js';
import { RunSkipped, type RunProgress } from '../../job-runner/run-progress.js';
import type { MediaFiles } from '../media/media-files.js';
import type { ClockWatch } from './clock-watch.js';
import type { CleanupLimits, CleanupMedia, ExpiredStore } from './expired-store.js';
import { removeMediaFiles } from './remove-media-files.js';

/** What the cleanup is built from. */
export interface PreviewCleanupOptions {
  expired: ExpiredStore;
  files: MediaFiles;
  runner: JobRunner;
  clockWatch: ClockWatch;
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

/** Rows are read, and the lease renewed, in batches of this size. */
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

  /** Whether a run would do anything, in one statement; when not, it counts as one that went well. */
  async isDue(nowTs: number): Promise<boolean> {
    const { expired, clockWatch } = this.options;
    if (clockWatch.jumpedMs(nowTs) !== 0 || (await expired.isAnythingLeft(this.#limits(nowTs)))) return true;
    this.runs.noteIdle();
    return false;
  }

  /** Whatever is from before these times goes. */
  #limits(nowTs: number): CleanupLimits {
    const { mediaRetentionMs, hitRetentionMs } = this.options;
    return {
      previewsTs: nowTs,
      mediaTs: nowTs - mediaRetentionMs,
      hitsTs: nowTs - hitRetentionMs,
      runsTs: nowTs - RUN_RETENTION_MS,
    };
  }

  async #run(nowTs: number, cause: JobCause, progress: RunProgress): Promise<void> {
    const { expired } = this.options;
    const limits = this.#limits(nowTs);
    if (!this.options.isReady()) throw new RunSkipped('migrations_incomplete');
    await this.#checkClock(nowTs, cause);

    // §4.8.1: entries that have expired, with their stored files.
    await inBatches(
      (skip) => expired.listPreviews(limits.previewsTs, skip, BATCH),
      progress,
      async (previews) => {
        const media = await expired.findMedia(previews.map(({ mediaId }) => mediaId));
        // The original of an image stays as long as its row: clients still load it.
        const pages = media.filter((item) => !isImage(item));
        const kept = await this.#removeFiles(pages, { nowTs, thumbnails: false }, progress);
        const ids = previews.filter(({ mediaId }) => !kept.has(mediaId)).map(({ id }) => id);
        progress.add('previews', await expired.deletePreviews(ids));
        return previews.length - ids.length;
      },
    );

    // §4.8.2: media past its retention, with its thumbnails.
    await inBatches(
      (skip) => expired.listMedia(limits.mediaTs, skip, BATCH),
      progress,
      async (media) => {
        const kept = await this.#removeFiles(media, { nowTs, thumbnails: true }, progress);
        const ids = media.map(({ mediaId }) => mediaId).filter((mediaId) => !kept.has(mediaId));
        progress.add('media', await expired.deleteMedia(ids));
        return media.length - ids.length;
      },
    );

    progress.add('blacklist_hits', await expired.prune(limits, BATCH));
  }

  /** A clock that was set may have deleted media that memory still names, and may be about to delete all. */
  async #checkClock(nowTs: number, cause: JobCause): Promise<void> {
    const { clockWatch, logger } = this.options;
    const jumpMs = clockWatch.jumpMs(nowTs);
    if (jumpMs === 0) return;
    await this.options.forgetMemory();
    if (cause !== 'job') return;
    const message = 'the clock was set by more than an hour; cleanup waits for the next run';
    logger.warn({ jump_ms: jumpMs }, message);
    throw new RunSkipped('clock_jumped');
  }

  /** Resolves to the media whose files would not go. */
  async #removeFiles(
    media: readonly CleanupMedia[],
    { nowTs, thumbnails }: { nowTs: number; thumbnails: boolean },
    progress: RunProgress,
  ): Promise<ReadonlySet<string>> {
    const { expired, files, logger } = this.options;
    const present = media.filter(({ fileRemovedTs }) => fileRemovedTs === null);
    await expired.markRemoved(
      present.map(({ mediaId }) => mediaId),
      nowTs,
    );
    return removeMediaFiles(media, { files, thumbnails, progress, logger });
  }
}

/** Cleans batch after batch; `clean` resolves to how many rows of a batch stay, which the next one leaves out. */
async function inBatches<Row>(
  list: (skip: number) => Promise<Row[]>,
  progress: RunProgress,
  clean: (rows: Row[]) => Promise<number>,
): Promise<void> {
  let kept = 0;
  for (let rows = await list(0); rows.length > 0; rows = await list(kept)) {
    kept += await clean(rows);
    progress.done += rows.length;
    await progress.checkpoint();
  }
}

function isImage({ sniffedType, contentType }: CleanupMedia): boolean {
  return sniffedType !== null || /^image\//i.test(contentType);
}
