import type { ExpiredStore } from '../../preview/cleanup/expired-store.js';
import { removeMediaFiles } from '../../preview/cleanup/remove-media-files.js';
import type { Clock } from '../../base/clock.js';
import type { RunProgress } from '../../job-runner/run-progress.js';
import type { Logger } from '../../base/logger.js';
import type { MediaFiles } from '../../preview/media/media-files.js';

export interface MediaRemovalOptions {
  expired: ExpiredStore;
  files: MediaFiles;
  clock: Clock;
  logger: Logger;
}

/**
 * Removes media as the cleanup does: the row is marked, the files go, the row goes, so that after a crash at any
 * point the cleanup or the garbage collection finishes the work.
 */
export class MediaRemoval {
  constructor(private readonly options: MediaRemovalOptions) {}

  /** Removes at most a few hundred media with thumbnails. Resolves to those whose files would not go. */
  async remove(mediaIds: readonly string[], progress: RunProgress): Promise<ReadonlySet<string>> {
    const { expired, files, clock, logger } = this.options;
    if (mediaIds.length === 0) return new Set();
    const media = await expired.findMedia(mediaIds);
    await expired.markRemoved(
      media.map(({ mediaId }) => mediaId),
      clock.now(),
    );
    const kept = await removeMediaFiles(media, { files, thumbnails: true, progress, logger });
    const gone = media.map(({ mediaId }) => mediaId).filter((mediaId) => !kept.has(mediaId));
    progress.add('media', await expired.deleteMedia(gone));
    return kept;
  }
}
