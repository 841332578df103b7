import type { Config } from '../config/schema.js';
import type { ContextParts } from './context.js';
import { ClockWatch } from '../core/preview/cleanup/clock-watch.js';
import { ExpiredStore } from '../core/preview/cleanup/expired-store.js';
import { MediaSweep, SWEEP_BATCH } from '../core/preview/cleanup/media-sweep.js';
import { PreviewCleanup } from '../core/preview/cleanup/preview-cleanup.js';
import { SweepStore } from '../core/preview/cleanup/sweep-store.js';
import type { JobRunner } from '../core/job-runner/job-runner.js';
import type { MediaFiles } from '../core/preview/media/media-files.js';
import { MediaListing } from '../core/preview/media/media-listing.js';

/**
 * Builds cleanup (SPEC §4.8) and sweep; the same functions serve jobs and operators. `isOnlyWriter`: whether no other
 * process writes below media_store_path.
 */
export function createCleanup(
  config: Config,
  { logger, database, runner }: Pick<ContextParts, 'logger' | 'database'> & { runner: JobRunner },
  { files, isOnlyWriter }: { files: MediaFiles; isOnlyWriter: () => Promise<boolean> },
): { cleanup: PreviewCleanup; sweep: MediaSweep } {
  return {
    cleanup: new PreviewCleanup({
      expired: new ExpiredStore(database),
      files,
      runner,
      clockWatch: new ClockWatch(),
      // Services exist only over a migrated store.
      isReady: () => true,
      mediaRetentionMs: config.previews.media_retention,
      hitRetentionMs: config.previews.blacklist_hit_retention,
      logger,
    }),
    sweep: new MediaSweep({
      store: new SweepStore(database),
      files,
      listing: new MediaListing(files, SWEEP_BATCH),
      runner,
      isOnlyWriter,
      logger,
    }),
  };
}
