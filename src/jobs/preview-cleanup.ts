import { SECOND_MS } from '../core/base/clock.js';
import type { PreviewCleanup } from '../core/preview/cleanup/preview-cleanup.js';
import { mediaJob, type MediaJobOptions } from './media-job.js';
import type { ScheduledJob } from './scheduled-job.js';

/** SPEC §8. */
export const PREVIEW_CLEANUP_INTERVAL_MS = 10 * SECOND_MS;

/** The cleanup of previews every 10 s (SPEC §4.8). */
export function previewCleanupJob(cleanup: PreviewCleanup, options: MediaJobOptions): ScheduledJob {
  const { runs } = cleanup;
  return mediaJob(
    {
      title: 'Clean up previews',
      description:
        'Deletes expired previews with their stored pages, then media of previews past its retention with its ' +
        'thumbnails. Leaves previews that have not expired, key records and signing keys alone. While it is ' +
        'paused, nothing of that is deleted and the disk fills up.',
      everyMs: PREVIEW_CLEANUP_INTERVAL_MS,
    },
    {
      runs,
      intervalMs: PREVIEW_CLEANUP_INTERVAL_MS,
      isDue: () => cleanup.isDue(options.clock.now()),
      run: async () => {
        await runs.runDue(options.clock.now());
      },
    },
    options,
  );
}
