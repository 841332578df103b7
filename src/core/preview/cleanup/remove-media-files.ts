import type { RunProgress } from '../../job-runner/run-progress.js';
import type { Logger } from '../../base/logger.js';
import type { MediaFiles } from '../media/media-files.js';
import type { CleanupMedia } from './expired-store.js';

/** How files of media are removed. */
export interface RemovalOptions {
  files: MediaFiles;
  /** Whether thumbnails go too. */
  thumbnails: boolean;
  progress: RunProgress;
  logger: Logger;
}

/** Files removed at once; more would only wait for the same few threads. */
const AT_ONCE = 8;

/**
 * Removes the files of media and the folders that are empty then. A file that is gone already is fine; media
 * whose files cannot be removed are returned, for their rows must stay.
 */
export async function removeMediaFiles(
  media: readonly CleanupMedia[],
  options: RemovalOptions,
): Promise<ReadonlySet<string>> {
  const kept = new Set<string>();
  for (let start = 0; start < media.length; start += AT_ONCE) {
    await Promise.all(
      media.slice(start, start + AT_ONCE).map(async (item) => {
        try {
          await removeOne(item, options);
        } catch (error) {
          options.progress.keep(error);
          options.logger.debug({ err: error, media_id: item.mediaId }, 'a file could not be removed');
          kept.add(item.mediaId);
        }
      }),
    );
  }
  await removeEmptyFolders(media, options);
  return kept;
}

async function removeOne(item: CleanupMedia, { files, thumbnails, progress }: RemovalOptions): Promise<void> {
  if ((await files.removeFile(item.mediaId)) === 'removed') {
    progress.add('files');
    progress.bytes += item.sizeBytes;
  }
  if (!thumbnails) return;
  await files.removeThumbnails(item.mediaId);
  progress.bytes += item.thumbnailBytes;
}

/** One media of each day is enough to know the day's folders. */
async function removeEmptyFolders(
  media: readonly CleanupMedia[],
  { files, logger }: RemovalOptions,
): Promise<void> {
  const byDay = new Map(media.map(({ mediaId }) => [mediaId.slice(0, 10), mediaId]));
  for (const mediaId of byDay.values()) {
    try {
      await files.removeEmptyFolders(mediaId);
    } catch (error) {
      logger.debug({ err: error, media_id: mediaId }, 'an empty folder could not be removed');
    }
  }
}
