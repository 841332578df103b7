import type { Config } from './config/schema.js';
import type { ContextParts } from './context.js';
import { ClockWatch } from './core/cleanup/clock-watch.js';
import { ExpiredStore } from './core/cleanup/expired-store.js';
import { MediaSweep, SWEEP_BATCH } from './core/cleanup/media-sweep.js';
import { PreviewCleanup } from './core/cleanup/preview-cleanup.js';
import { SweepStore } from './core/cleanup/sweep-store.js';
import type { JobRunner } from './core/job-run/job-runner.js';
import { MediaFiles } from './core/media/media-files.js';
import { MediaListing } from './core/media/media-listing.js';
import { MediaReader } from './core/media/media-reader.js';
import { MediaRowStore } from './core/media/media-row-store.js';
import { MediaStore } from './core/media/media-store.js';
import { Thumbnailer } from './core/media/thumbnailer.js';

/** Media on disk and in the store. */
export interface MediaParts {
  files: MediaFiles;
  store: MediaStore;
  reader: MediaReader;
}

/** Builds what stores and serves media. */
export function createMediaParts(config: Config, { clock, logger, database }: ContextParts): MediaParts {
  const files = new MediaFiles(config.media_store_path);
  const rows = new MediaRowStore(database);
  const thumbnailer = new Thumbnailer({
    sizes: config.thumbnail_sizes,
    maxPixels: config.max_image_pixels,
    blurhash: config.previews.blurhash,
    logger,
  });
  return {
    files,
    store: new MediaStore({ files, rows, thumbnailer, clock, logger }),
    reader: new MediaReader({
      files,
      rows,
      thumbnailer,
      clock,
      logger,
      sizes: config.thumbnail_sizes,
      dynamic: config.dynamic_thumbnails,
    }),
  };
}

/** Builds cleanup (§4.8) and sweep; the same functions serve jobs and operators. */
export function createCleanup(
  config: Config,
  { logger, database, runner }: Pick<ContextParts, 'logger' | 'database'> & { runner: JobRunner },
  { files }: Pick<MediaParts, 'files'>,
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
      isOnlyWriter: config.database.engine === 'sqlite',
      logger,
    }),
  };
}
