import type { Config } from '../config/schema.js';
import type { ContextParts } from './context.js';
import { MediaFiles } from '../core/preview/media/media-files.js';
import { MediaReader } from '../core/preview/media/media-reader.js';
import { MediaRowStore } from '../core/preview/media/media-row-store.js';
import { MediaStore } from '../core/preview/media/media-store.js';
import type { MediaHands } from '../core/preview/media/keeping/media-jobs.js';
import { MediaWork } from '../core/preview/media/keeping/media-work.js';

/** Media on disk and in the store. */
export interface MediaParts {
  files: MediaFiles;
  store: MediaStore;
  reader: MediaReader;
}

/** Builds what stores and serves media; `hands` do the work on files and pixels. */
export function createMediaParts(
  config: Config,
  { clock, logger, database }: Pick<ContextParts, 'clock' | 'logger' | 'database'>,
  hands: MediaHands,
): MediaParts {
  const files = new MediaFiles(config.media_store_path);
  const rows = new MediaRowStore(database);
  const work = new MediaWork({
    hands,
    sizes: config.thumbnail_sizes,
    maxPixels: config.max_image_pixels,
    blurhash: config.previews.blurhash,
    logger,
  });
  return {
    files,
    store: new MediaStore({ files, rows, work, clock, logger }),
    reader: new MediaReader({
      files,
      rows,
      work,
      clock,
      logger,
      sizes: config.thumbnail_sizes,
      dynamic: config.dynamic_thumbnails,
    }),
  };
}
