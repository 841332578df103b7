import type { Config } from './config/schema.js';
import type { ContextParts } from './context.js';
import { MediaFiles } from './core/media/media-files.js';
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
export function createMediaParts(
  config: Config,
  { clock, logger, database }: Pick<ContextParts, 'clock' | 'logger' | 'database'>,
): MediaParts {
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
